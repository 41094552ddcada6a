import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'

/** One run of the program, as its commands see it. */
export interface Invocation {
  readonly environment: Environment
  /** Absolute. */
  readonly cwd: string
  /** What the process is to exit with: 0 fine, 1 failed, 2 wrong usage or configuration, 3 see `start`. */
  exitCode: number
}

/** The configuration, or a CommandError that lists everything that is wrong with it. */
export async function readConfiguration({ environment, cwd }: Invocation): Promise<Config> {
  const { loadConfig } = await import('../config/load.ts')
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'ok') return loaded.config
  const { formatProblems } = await import('../config/problems.ts')
  const { CommandError } = await import('../domain/command-error.ts')
  throw new CommandError(formatProblems(loaded.problems), { exitCode: 2 })
}
