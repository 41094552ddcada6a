import { createApi } from '../../gateway/create-api.ts'
import { createGatewaySide } from '../../gateway/gateway-side.ts'
import { createTelegramDoor } from '../../gateway/telegram-door.ts'
import { buildCore } from '../build-core.ts'
import { observe } from '../logs/observe.ts'
import { openRedisTransport } from '../open-redis-transport.ts'
import { openStore } from '../open-store.ts'
import type { ProcessOptions } from '../settings/process-options.ts'
import { shownRules } from '../shown-rules.ts'
import { checkDatabase } from './check-database.ts'
import { checkQueue } from './check-queue.ts'
import { receiveUntilEnd } from './receive-until-end.ts'
import { serveHttp } from './serve-http.ts'
import { createSignals } from './signals.ts'
import { watchDatabaseState } from './watch-database-state.ts'

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
  const gateway = createGatewaySide(core, bus, resources, shownRules(config, false))
  const door = createTelegramDoor()
  watchDatabaseState(metrics, db)
  const checks = { database: checkDatabase(db), queue: checkQueue(queue) }
  const api = resources.use(await createApi({ ctx: core, config, bus }))
  const routes = [door.route, ...api.routes]
  resources.use(await serveHttp({ config, log, checks, metrics, routes }))
  resources.use(api.feeds)
  await receiveUntilEnd({ ...options, gateway, door })
}
