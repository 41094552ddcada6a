import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { Log } from '../../util/log.ts'
import { toJsonLine } from '../logs/to-json-line.ts'

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

/** Writes lines for the person who started it; as JSON where `[logging] format` is `json`, as in a container. */
export function say({ config, output }: ProcessOptions, ...lines: readonly string[]): void {
  const asJson = config.logging.format === 'json'
  for (const line of lines) output.write(`${asJson ? toJsonLine(line) : line}\n`)
}
