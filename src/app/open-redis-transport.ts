import { createRedisBus } from '../adapters/queue/create-redis-bus.ts'
import { createRedisQueue } from '../adapters/queue/create-redis-queue.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../util/log.ts'
import { drainMs, type Transport } from './transport.ts'

/** STORE-02: opens queue and bus over the Redis of `REDIS_URL`. Waits for an unavailable server until the signal aborts. */
export async function openRedisTransport(
  config: Config,
  url: string,
  log: Log,
  signal?: AbortSignal,
): Promise<Transport> {
  const resources = new AsyncDisposableStack()
  const options = {
    url,
    prefix: config.queue.prefix,
    log,
    ...(signal === undefined ? {} : { signal }),
  }
  const tuning = { graceMs: drainMs(config) }
  try {
    const queue = resources.use(await createRedisQueue({ ...options, tuning }))
    const bus = resources.use(await createRedisBus(options))
    return { queue, bus, [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}
