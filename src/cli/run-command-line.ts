import { Command, CommanderError } from 'commander'
import { toJsonLine } from '../app/logs/to-json-line.ts'
import { type Environment, readEnvironment } from '../config/env.ts'
import { hasCode } from '../util/has-code.ts'
import { addAuditCommand } from './audit/audit-command.ts'
import { addDoctorCommand } from './doctor/doctor-command.ts'
import { addErrorsCommand } from './errors-command.ts'
import { addGateCommand } from './gate/gate-command.ts'
import { Interrupted } from './interruption.ts'
import type { Invocation } from './invocation.ts'
import { addMcpCommand } from './mcp/mcp-command.ts'
import { addPairCommand } from './people/pair-command.ts'
import { addPeopleCommand } from './people/people-command.ts'
import { addPermissionsCommand } from './permissions/permissions-command.ts'
import { printError } from './print.ts'
import { addBackupCommand } from './setup/backup-command.ts'
import { addDbCommand } from './setup/db-command.ts'
import { addKeysCommand } from './setup/keys-command.ts'
import { addMigrateCommand } from './setup/migrate-command.ts'
import { addRestoreCommand } from './setup/restore-command.ts'
import { addSystemdCommand } from './setup/systemd-command.ts'
import { addProcessCommands } from './start/process-commands.ts'
import { addStartCommand } from './start/start-command.ts'
import { addOutputCommand } from './tools/output-command.ts'
import { addToolsCommand } from './tools/tools-command.ts'
import { addTrustCommand } from './tools/trust-command.ts'
import { addVersionCommand, packageVersion } from './version-command.ts'

const commands = [
  addStartCommand,
  addProcessCommands,
  addDoctorCommand,
  addAuditCommand,
  addPairCommand,
  addPeopleCommand,
  addPermissionsCommand,
  addGateCommand,
  addToolsCommand,
  addOutputCommand,
  addTrustCommand,
  addMcpCommand,
  addKeysCommand,
  addDbCommand,
  addMigrateCommand,
  addBackupCommand,
  addRestoreCommand,
  addSystemdCommand,
  addErrorsCommand,
  addVersionCommand,
]

const examples = `
To begin:
  $ npx countersign doctor              is everything there that it needs?
  $ npx countersign start               talk to it, here in the terminal

Then:
  $ npx countersign audit               who did what, and who allowed it
  $ npx countersign permissions show    what runs without asking
  $ npx countersign pair                let somebody in on a chat platform
  $ npx countersign audit --help        every command explains itself
  $ npx countersign errors CODE         what an error means and what to do

Exit codes: 0 fine, 1 failed or unhealthy, 2 wrong usage or configuration,
3 (start only) the input ended while an approval still waits.

Configuration: countersign.toml here, or the file COUNTERSIGN_CONFIG names; every
key also has a variable. Data: .countersign here, or COUNTERSIGN_DATA_DIR.`

/** Runs a command of the program; returns its exit code and never rejects. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const environment = readEnvironment()
  const asJson = isJsonService(argv, environment)
  quietWarnings(asJson)
  // Errors are reported by the rejected writes; without a listener they would end the process.
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

/** True for a long-running process whose output must be JSON only. */
function isJsonService([, , command = '']: readonly string[], environment: Environment): boolean {
  const isService = ['start', 'gateway', 'agent', 'worker'].includes(command)
  return isService && environment.get('COUNTERSIGN_LOGGING_FORMAT') === 'json'
}

async function exitCodeOf(error: unknown, asJson: boolean): Promise<number> {
  // Commander has already printed the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // Everything was stopped; a running statement must not keep the process alive.
  if (error instanceof Interrupted) process.exit(130)
  // The reader stopped reading, as `head` does.
  if (hasCode(error, 'EPIPE')) return 0
  const { explainError } = await import('../app/logs/explain-error.ts')
  const explained = explainError(error)
  const words = explained === undefined ? bugWords(error) : explained.message
  const line = `error[${explained?.code ?? 'INTERNAL'}]: ${words}`
  await printError(`${asJson ? toJsonLine(line, 'fatal') : line}\n`).catch(() => undefined)
  return explained?.exitCode ?? 1
}

function bugWords(error: unknown): string {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `this should not happen; please report it with these lines\n${details}`
}

/**
 * Hides warnings that are for developers: type stripping is experimental, and a package uses what Node will drop. Node hides the
 * latter for files in `node_modules`, which the bundle's are not. Other warnings go to standard error in one line.
 */
function quietWarnings(asJson: boolean): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => {
    if (name === 'ExperimentalWarning' || name === 'DeprecationWarning') return
    const words = `warning: ${name}: ${message}`
    process.stderr.write(`${asJson ? toJsonLine(words) : words}\n`)
  })
}

/** Creates all commands with options and help. Their implementations are loaded when they run. */
export function createProgram(invocation: Invocation): Command {
  const program = new Command('countersign')
    .description('A self-hosted chat agent whose risky tool calls wait for a person.')
    .version(packageVersion(), '-V, --version', 'print the version and nothing else')
    .helpOption('-h, --help', 'explain the program or a command')
    .helpCommand('help [command]', 'explain the program or a command')
    .addHelpText('after', examples)
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'error[USAGE]: ')),
    })
  for (const add of commands) add(program, invocation)
  return program
}
