import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'

/** One run of the program, as seen by its commands. */
export interface Invocation {
  readonly environment: Environment
  /** Absolute path. */
  readonly cwd: string
  /** Exit code of the process: 0 success, 1 failure, 2 wrong usage or configuration, 3 see `start`. */
  exitCode: number
}

/** Reads the configuration; throws a CommandError that lists all problems. */
export async function readConfiguration({ environment, cwd }: Invocation): Promise<Config> {
  const { loadConfig } = await import('../config/load.ts')
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'ok') return loaded.config
  const { formatProblems } = await import('../config/problems.ts')
  const { CommandError } = await import('../domain/command-error.ts')
  throw new CommandError(formatProblems(loaded.problems), { code: 'CONFIG_INVALID' })
}
