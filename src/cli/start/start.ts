import { closeSync, existsSync, mkdirSync, openSync, statSync, unlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createLog } from '../../app/logs/create-log.ts'
import { secretProblem } from '../../app/processes/enrolment-problems.ts'
import type { ProcessOptions } from '../../app/settings/process-options.ts'
import { reviewProblems } from '../../app/settings/reviewing-model.ts'
import { unknownTools } from '../../app/unknown-tools.ts'
import { readEnvironment } from '../../config/env.ts'
import { loadConfig } from '../../config/load.ts'
import { formatProblems } from '../../config/problems.ts'
import type { EmbeddedPostgres } from '../../db/embedded/start-embedded-postgres.ts'
import { CommandError } from '../../domain/command-error.ts'
import { hasChat } from '../../gateway/chat-services.ts'
import { slackProblems } from '../../gateway/slack-problems.ts'
import { hasCode } from '../../util/has-code.ts'
import { newId } from '../../util/ids.ts'
import { keepHeapSmall } from '../../util/keep-heap-small.ts'
import { packageVersion } from '../version-command.ts'
import { endSignal, endSoon } from './end-signal.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  ENOENT: 'nothing can be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'nothing can be made there',
  EROFS: 'its file system is read-only',
}

export interface StartOptions {
  /** Shared directory of all sessions, instead of one for each conversation. */
  readonly workspace?: string
}

/**
 * Implements `countersign start`: runs the whole product in this process. The first SIGTERM, SIGHUP or SIGINT drains it,
 * a second one ends it at once (PROC-03). Returns the exit code.
 */
export async function startCommand(options: StartOptions): Promise<number> {
  keepHeapSmall()
  const { workspace } = options
  const problem = workspace === undefined ? undefined : workspaceProblem(workspace)
  if (problem !== undefined) throw new CommandError(problem, { code: 'WORKSPACE_UNUSABLE' })
  const environment = readEnvironment()
  const loaded = loadConfig({ cwd: process.cwd(), environment })
  if (loaded.kind === 'invalid') {
    throw new CommandError(formatProblems(loaded.problems), { code: 'CONFIG_INVALID' })
  }
  const guessable = secretProblem(loaded.config)
  const problems = [
    ...(guessable ? [guessable] : []),
    ...slackProblems(loaded.config),
    ...reviewProblems(loaded.config),
    ...unknownTools(loaded.config),
  ]
  if (problems.length > 0) throw new CommandError(problems.join('\n'), { code: 'CONFIG_INVALID' })
  prepareDataDirectory(loaded.config.dataDir)
  const config =
    workspace === undefined
      ? loaded.config
      : { ...loaded.config, worker: { ...loaded.config.worker, workspace: resolve(workspace) } }
  const common = { config, environment, log: createLog(config), signal: endSignal(endInput) }
  const embedded = beginEmbedded(common)
  try {
    return await runProduct({ ...common, embedded })
  } catch (error) {
    // Errors caused by the requested end are not failures.
    if (!common.signal.aborted) throw error
    return 0
  } finally {
    // Where the product never took it.
    const left = await embedded?.catch(() => undefined)
    await left?.[Symbol.asyncDispose]()
    if (hasChat(config) || common.signal.aborted) endSoon()
  }
}

/** Begins to start the embedded PostgreSQL, which comes up while the product is loaded; undefined if another is configured. */
function beginEmbedded({
  config,
  environment,
  log,
}: Common): Promise<EmbeddedPostgres> | undefined {
  if (config.databaseUrl !== undefined) return undefined
  const { dataDir } = config
  const begun = import('../../db/embedded/start-embedded-postgres.ts').then(
    ({ startEmbeddedPostgres }) =>
      startEmbeddedPostgres({ dataDir, runtimeDir: environment.xdgRuntimeDir, log }),
  )
  // Awaited by who opens the product.
  begun.catch(() => undefined)
  return begun
}

interface Common extends Omit<ProcessOptions, 'output'> {
  readonly embedded?: Promise<EmbeddedPostgres> | undefined
}

async function runProduct(options: Common): Promise<number> {
  const { stdin: input, stdout: output } = process
  // Loaded in pieces, between which the start of PostgreSQL goes on.
  for (const load of pieces) {
    await load()
    await setImmediate()
  }
  if (hasChat(options.config)) {
    const { runService } = await import('../../app/processes/run-service.ts')
    return runService({ ...options, output })
  }
  const { runTerminal } = await import('../../app/processes/run-terminal.ts')
  return runTerminal({ ...options, input, output, version: packageVersion() })
}

const pieces = [
  () => import('../../app/open-store.ts'),
  () => import('../../app/processes/start-worker.ts'),
  () => import('../../adapters/queue/bullmq-queue.ts'),
]

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

/** Creates the data directory (0700) if missing and tests that it is writable. Throws CommandError with exit code 2. */
export function prepareDataDirectory(dataDir: string): void {
  try {
    makeDirectories(resolve(dataDir))
    const probe = join(dataDir, `.probe-${newId()}`)
    closeSync(openSync(probe, 'wx', 0o600))
    unlinkSync(probe)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    const why = reasons[code] ?? code
    const how = 'name another one by data_dir in countersign.toml, or COUNTERSIGN_DATA_DIR'
    const words = `the data directory ${dataDir} cannot be used: ${why}; ${how}`
    throw new CommandError(words, { code: 'DATA_DIRECTORY_UNUSABLE', cause })
  }
}

/** Creates directories one by one, since Node's recursive `mkdir` never returns below `/proc`. */
function makeDirectories(path: string): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      mkdirSync(directory, { mode: 0o700 })
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}
