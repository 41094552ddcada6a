import type { Queue } from '../../ports/queue.ts'
import { isConnectionLoss } from '../../util/has-code.ts'
import type { Log } from '../../util/log.ts'
import { BullmqQueue } from './bullmq-queue.ts'
import { FailureDelay, RedisBackend } from './redis-backend.ts'
import { isRedisStateError } from './redis-error.ts'
import { openRedisLink, type RedisLink } from './redis-link.ts'
import { type BullmqStore, type ConsumerTuning, defaultTuning } from './start-consumer.ts'

const settings = ':meta'

/** Times of a queue on Redis, in milliseconds. */
export interface RedisTuning extends ConsumerTuning {
  /** Time after which Redis counts as unreachable if it does not answer. */
  readonly answerMs: number
}

/**
 * Creates BullMQ queues on Redis or Valkey, with all keys under `prefix`. Waits for an unreachable server, until the signal
 * aborts; throws RedisRefused if the server cannot be used. Uses one connection, and one more for each consumer. While Redis is
 * unreachable, adding is refused and consumers wait.
 */
export async function createRedisQueue(options: {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  readonly tuning?: Partial<RedisTuning>
  readonly signal?: AbortSignal
}): Promise<Queue> {
  const { url, prefix, log, signal } = options
  const tuning = { ...defaultTuning, answerMs: 5_000, ...options.tuning }
  const { answerMs } = tuning
  const name = `${prefix}:queue`
  const what = 'queue'
  const link = await openRedisLink({ url, what, name, pending: 'resend', log, answerMs, signal })
  for (const warning of link.warnings) log.warn({}, `queue: ${warning}`)
  return new BullmqQueue(redisStore(link, prefix, log), log, tuning)
}

/** Lifetime of the key that a check writes. */
const checkSeconds = 60

function redisStore(link: RedisLink, prefix: string, log: Log): BullmqStore {
  // Each queue and worker adds a listener, and BullMQ raises the limit relative to this value.
  link.client.setMaxListeners(Number.POSITIVE_INFINITY)
  const paces = {
    wait: consumerPace(link, log, 'wait for jobs'),
    take: consumerPace(link, log, 'take jobs'),
  }
  return {
    connection: {},
    backendFactory: (queue, bullmq, kind) => {
      const isWorker = kind?.withBlockingConnection === true
      const blocking = isWorker ? link.another(`${prefix}:w:${queue}`) : undefined
      // Connect here: BullMQ would do it too, but would not recover from a failed first attempt.
      blocking?.connect().catch(() => undefined)
      return new RedisBackend({ shared: link.client, blocking, queue, prefix, paces, bullmq })
    },
    listQueues: () => listRedisQueues(link, prefix),
    runWithinTime: (work) => link.ask(work),
    check: async () => void (await link.client.set(`${prefix}:check`, '', 'EX', checkSeconds)),
    onReturn: (told) => link.onReturn(told),
    logsItself: isRedisStateError,
    plain: (error) => link.plain(error),
    close: () => link.close(),
  }
}

/** Delays failures of consumers and logs refusals; the link logs that Redis is unreachable. */
function consumerPace(link: RedisLink, log: Log, doing: string): FailureDelay {
  return new FailureDelay({
    isOutage: (error) => isRedisStateError(error) && !isConnectionLoss(error),
    onStart: (error) => log.warn({ err: link.plain(error) }, `queue: consumers cannot ${doing}`),
    onEnd: () => log.info({}, `queue: consumers can ${doing} again`),
  })
}

/** All queues with keys under the prefix, found by their settings. Scans all keys. */
async function listRedisQueues(link: RedisLink, prefix: string): Promise<readonly string[]> {
  const names = new Set<string>()
  const match = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*${settings}`
  let cursor = '0'
  do {
    const from = cursor
    const [next, keys] = await link.ask(() =>
      link.client.scan(from, 'MATCH', match, 'COUNT', 1_000),
    )
    for (const key of keys) names.add(key.slice(prefix.length + 1, -settings.length))
    cursor = next
  } while (cursor !== '0')
  // Excludes longer prefixes; names of queues contain no colon.
  return [...names].filter((name) => !name.includes(':'))
}
