import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { EmbeddedPostgres } from '../../db/embedded/start-embedded-postgres.ts'
import type { Log } from '../../util/log.ts'
import { toJsonLine } from '../logs/to-json-line.ts'

/** Options of a process that runs until it is asked to end. */
export interface ProcessOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  /** Embedded PostgreSQL whose start was begun before. */
  readonly embedded?: Promise<EmbeddedPostgres> | undefined
  /** Receives plain lines on the state of the process. */
  readonly output: NodeJS.WritableStream
  /** Fires when the process is asked to end; it then drains (PROC-03). */
  readonly signal: AbortSignal
}

/** Writes lines for the person who started the process; as JSON if `[logging] format` is `json`, as in a container. */
export function say({ config, output }: ProcessOptions, ...lines: readonly string[]): void {
  const asJson = config.logging.format === 'json'
  for (const line of lines) output.write(`${asJson ? toJsonLine(line) : line}\n`)
}
