import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createLog } from '../../app/logs/create-log.ts'
import { secretProblem } from '../../app/processes/enrolment-problems.ts'
import { hasChat } from '../../app/processes/receive-until-end.ts'
import { runService } from '../../app/processes/run-service.ts'
import { runTerminal } from '../../app/processes/run-terminal.ts'
import { reviewProblems } from '../../app/settings/reviewing-model.ts'
import { unknownTools } from '../../app/unknown-tools.ts'
import { readEnvironment } from '../../config/env.ts'
import { loadConfig } from '../../config/load.ts'
import { formatProblems } from '../../config/problems.ts'
import { CommandError } from '../../domain/command-error.ts'
import { slackProblems } from '../../gateway/slack-problems.ts'
import { packageVersion } from '../version-command.ts'
import { endSignal } from './end-signal.ts'
import { prepareDataDirectory } from './prepare-data-directory.ts'

export interface StartOptions {
  /** Shared directory of all sessions, instead of one for each conversation. */
  readonly workspace?: string
}

const wrongConfiguration = { exitCode: 2 } as const

/**
 * Implements `countersign start`: runs the whole product in this process. The first SIGTERM, SIGHUP or SIGINT drains it,
 * a second one ends it at once (PROC-03). Returns the exit code.
 */
export async function startCommand(options: StartOptions): Promise<number> {
  const { workspace } = options
  const problem = workspace === undefined ? undefined : workspaceProblem(workspace)
  if (problem !== undefined) throw new CommandError(problem, wrongConfiguration)
  const environment = readEnvironment()
  const loaded = loadConfig({ cwd: process.cwd(), environment })
  if (loaded.kind === 'invalid') {
    throw new CommandError(formatProblems(loaded.problems), wrongConfiguration)
  }
  const guessable = secretProblem(loaded.config)
  const problems = [
    ...(guessable ? [guessable] : []),
    ...slackProblems(loaded.config),
    ...reviewProblems(loaded.config),
    ...unknownTools(loaded.config),
  ]
  if (problems.length > 0) throw new CommandError(problems.join('\n'), wrongConfiguration)
  prepareDataDirectory(loaded.config.dataDir)
  const config =
    workspace === undefined
      ? loaded.config
      : { ...loaded.config, worker: { ...loaded.config.worker, workspace: resolve(workspace) } }
  const common = { config, environment, log: createLog(config), signal: endSignal(endInput) }
  const { stdin: input, stdout: output } = process
  if (hasChat(config)) return runService({ ...common, output })
  return runTerminal({ ...common, input, output, version: packageVersion() })
}

function endInput(): void {
  process.stdin.destroy()
}

/** Returns why `--workspace` cannot be used; undefined if it is a directory. */
function workspaceProblem(given: string): string | undefined {
  // An unset variable would otherwise select the current directory.
  if (given.trim() === '') return '--workspace is empty: name a directory'
  try {
    if (statSync(given).isDirectory()) return undefined
    return `--workspace ${given} is not a directory`
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const why = code === 'ENOENT' ? 'does not exist: make it first' : `cannot be used (${code})`
    return `--workspace ${given} ${why}`
  }
}
