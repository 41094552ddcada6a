import { createApi } from '../../gateway/create-api.ts'
import { createPlatformGateway } from '../../gateway/gateway-side.ts'
import { createTelegramWebhook } from '../../gateway/telegram-webhook.ts'
import { buildCore } from '../build-core.ts'
import { observe } from '../logs/observe.ts'
import { shownRules } from '../open-product.ts'
import { openRedisTransport } from '../open-redis-transport.ts'
import { openStore } from '../open-store.ts'
import type { ProcessOptions } from '../settings/process-options.ts'
import { checkQueue } from './check-state.ts'
import { receiveUntilEnd } from './receive-until-end.ts'
import { serveHttp } from './serve-http.ts'
import { createSignals } from './signals.ts'
import { checkDatabase, watchDatabaseState } from './watch-database-state.ts'

/** PROC-01: runs a gateway, one of any number, until it is asked to end. */
export async function runGatewayProcess(options: ProcessOptions): Promise<void> {
  const { config, environment, log, signal } = options
  await using resources = new AsyncDisposableStack()
  const { observer, metrics } = resources.use(await observe({ config, log, process: 'gateway' }))
  const store = resources.use(await openStore(config, environment, log))
  const url = config.redisUrl?.reveal() ?? ''
  const { queue, bus } = resources.use(await openRedisTransport(config, url, log, signal))
  const { db } = store
  const core = buildCore({ config, db, signals: createSignals(queue, bus), log, observer })
  const gateway = createPlatformGateway(core, bus, resources, shownRules(config, false))
  const telegramWebhook = createTelegramWebhook()
  watchDatabaseState(metrics, db)
  const checks = { database: checkDatabase(db), queue: checkQueue(queue) }
  const api = resources.use(await createApi({ ctx: core, config, bus }))
  const routes = [telegramWebhook.route, ...api.routes]
  resources.use(await serveHttp({ config, log, checks, metrics, routes }))
  resources.use(api.feeds)
  await receiveUntilEnd({ ...options, gateway, telegramWebhook })
}
