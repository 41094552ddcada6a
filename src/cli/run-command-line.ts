import { CommanderError } from 'commander'
import { toJsonLine } from '../app/logs/to-json-line.ts'
import { type Environment, readEnvironment } from '../config/env.ts'
import { hasCode } from '../util/has-code.ts'
import { createProgram } from './create-program.ts'
import { Interrupted } from './interruption.ts'
import type { Invocation } from './invocation.ts'
import { printError } from './print.ts'

/** Runs one command of the program, `argv` being that of the process; answers its exit code and never rejects. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const environment = readEnvironment()
  const asJson = isJsonService(argv, environment)
  quietWarnings(asJson)
  // Rejected writes say it; without a listener the process would die of it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    const invocation: Invocation = {
      environment,
      cwd: process.cwd(),
      exitCode: 0,
    }
    const program = createProgram(invocation)
    if (argv.length > 2) await program.parseAsync(argv)
    else program.outputHelp()
    return invocation.exitCode
  } catch (error) {
    return exitCodeOf(error, asJson)
  }
}

/** Whether it is a process that runs by itself, as in a container, and all that it writes is to be JSON. */
function isJsonService([, , command = '']: readonly string[], environment: Environment): boolean {
  const isService = ['start', 'gateway', 'agent', 'worker'].includes(command)
  return isService && environment.get('COUNTERSIGN_LOGGING_FORMAT') === 'json'
}

async function exitCodeOf(error: unknown, asJson: boolean): Promise<number> {
  // Commander has said it.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // What was to be stopped is; a statement that still runs may not keep the process alive.
  if (error instanceof Interrupted) process.exit(130)
  // As with `| head`: who stopped reading wants no more.
  if (hasCode(error, 'EPIPE')) return 0
  const { explainError } = await import('../app/logs/explain-error.ts')
  const explained = explainError(error)
  const words = explained === undefined ? bugWords(error) : explained.message
  const prefix = words.startsWith('The configuration') ? '' : 'error: '
  const line = asJson ? toJsonLine(`${prefix}${words}`, 'fatal') : `${prefix}${words}`
  await printError(`${line}\n`).catch(() => undefined)
  return explained?.exitCode ?? 1
}

function bugWords(error: unknown): string {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `this should not happen; please report it with these lines\n${details}`
}

/** Node tells each person that type stripping is experimental; other warnings of Node go to standard error in one line. */
function quietWarnings(asJson: boolean): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name === 'ExperimentalWarning') return
    const words = `warning: ${name}: ${message}`
    process.stderr.write(`${asJson ? toJsonLine(words) : words}\n`)
  })
}
