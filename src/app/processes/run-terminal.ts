import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { Log } from '../../util/log.ts'
import { observe } from '../logs/observe.ts'
import { openProduct } from '../open-product.ts'
import { serveApiAlone } from './serve-api-alone.ts'
import { serveTerminal } from './serve-terminal.ts'

export interface TerminalOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly version: string
  /** Fires when the process is asked to end. */
  readonly signal: AbortSignal
}

/** The product with a chat in the terminal, or line by line over pipes. Answers the exit code. */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const { config, environment, log } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await openProduct({ config, environment, log, observer })
  await using _api = await serveApiAlone({ product, config, log, metrics })
  return await serveTerminal({ ...options, product })
}
