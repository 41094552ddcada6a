import type { MetricsText } from '../../adapters/http/metrics-route.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import type { EmbeddedPostgres } from '../../db/embedded/start-embedded-postgres.ts'
import { hasApiTokens } from '../../db/people/api-tokens.ts'
import type { Log } from '../../util/log.ts'
import { observe } from '../logs/observe.ts'
import { openProduct, type Product } from '../open-product.ts'
import { checkQueue } from './check-state.ts'
import { serveTerminal } from './serve-terminal.ts'
import { checkDatabase } from './watch-database-state.ts'

export interface TerminalOptions {
  readonly config: Config
  readonly environment: Environment
  readonly log: Log
  /** Embedded PostgreSQL whose start was begun before. */
  readonly embedded?: Promise<EmbeddedPostgres> | undefined
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly version: string
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal
}

/** Runs the product with a chat in the terminal, or line by line over pipes. Returns the exit code. */
export async function runTerminal(options: TerminalOptions): Promise<number> {
  const { config, environment, log, embedded, signal } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await openProduct({ config, environment, log, signal, observer, embedded })
  await using _api = await serveApiAlone({ product, config, log, metrics })
  return await serveTerminal({ ...options, product })
}

interface AloneOptions {
  readonly product: Product
  readonly config: Config
  readonly log: Log
  readonly metrics: MetricsText
}

/** Serves HTTP next to the terminal if an address is configured or a program has a token. */
async function serveApiAlone(options: AloneOptions): Promise<AsyncDisposable> {
  const { product, config, log, metrics } = options
  const { ctx, queue, bus } = product
  const resources = new AsyncDisposableStack()
  const isWanted = config.http.listen !== undefined
  if (!isWanted && !(config.http.api && (await hasApiTokens(ctx.db)))) return resources
  const [{ createApi }, { serveHttp }] = await Promise.all([
    import('../../gateway/create-api.ts'),
    import('./serve-http.ts'),
  ])
  try {
    const { routes, feeds } = resources.use(await createApi({ ctx, config, bus }))
    const checks = { database: checkDatabase(ctx.db), queue: checkQueue(queue) }
    const server = await serveHttp({ config, log, checks, metrics, routes })
    resources.use(server)
    resources.use(feeds)
    return resources
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}
