import type { Config } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import type { Log } from '../util/log.ts'

/** What a process that runs until it is asked to end is given. */
export interface ProcessOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  /** Where it says in plain words what becomes of it. */
  readonly output: NodeJS.WritableStream
  /** Fires when the process is asked to end: it drains then (PROC-03). */
  readonly signal: AbortSignal
}

/** Writes a line for whoever started it. */
export function say({ output }: ProcessOptions, ...lines: readonly string[]): void {
  output.write(`${lines.join('\n')}\n`)
}
