import { createApi } from '../../gateway/create-api.ts'
import { createTelegramDoor } from '../../gateway/telegram-door.ts'
import { observe } from '../logs/observe.ts'
import { openProduct } from '../open-product.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'
import { checkDatabase } from './check-database.ts'
import { checkQueue } from './check-queue.ts'
import { greetingLines } from './greeting.ts'
import { receiveUntilEnd } from './receive-until-end.ts'
import { serveHttp } from './serve-http.ts'
import { watchDatabaseState, watchQueues } from './watch-database-state.ts'

/** Runs the product as a service for the configured chat platforms until it is asked to end. */
export async function runService(options: ProcessOptions): Promise<number> {
  const { config, environment, log } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await openProduct({ config, environment, log, observer })
  say(options, ...(await greetingLines(product, config, 'elsewhere')))
  const door = createTelegramDoor()
  const { queue, bus, ctx } = product
  const { db } = ctx
  watchDatabaseState(metrics, db)
  watchQueues(metrics, queue, db, config.worker.name)
  const checks = { database: checkDatabase(db), queue: checkQueue(queue) }
  await using api = await createApi({ ctx, config, bus })
  const routes = [door.route, ...api.routes]
  await using _http = await serveHttp({ config, log, checks, metrics, routes })
  using _feeds = api.feeds
  await receiveUntilEnd({ ...options, gateway: product, door })
  return 0
}
