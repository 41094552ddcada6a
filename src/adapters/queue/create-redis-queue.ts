import type { Queue } from '../../ports/queue.ts'
import { isConnectionLoss } from '../../util/connection-loss.ts'
import type { Log } from '../../util/log.ts'
import { BullmqQueue } from './bullmq-queue.ts'
import type { BullmqStore } from './bullmq-store.ts'
import { Pace } from './pace.ts'
import { RedisBackend } from './redis-backend.ts'
import { isRedisTrouble } from './redis-error.ts'
import { openRedisLink, type RedisLink } from './redis-link.ts'
import { type ConsumerTuning, defaultTuning } from './start-consumer.ts'

const settings = ':meta'

/** Times of a queue on Redis, in milliseconds. */
export interface RedisTuning extends ConsumerTuning {
  /** How long Redis may take to answer before it counts as away. */
  readonly answerMs: number
}

/**
 * BullMQ on Redis or Valkey, every key of it under `prefix`. Waits for a server that is away, until the signal; one
 * that refuses us is a RedisRefused. Holds one connection, and one more for each consumer. While Redis is away,
 * adding is refused and consumers wait.
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

/** What a check writes is gone after so long. */
const checkSeconds = 60

function redisStore(link: RedisLink, prefix: string, log: Log): BullmqStore {
  // Each queue and worker listens to it, and BullMQ adds to the number that is set here.
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
      // BullMQ would open it too, but never forget that its first try failed.
      blocking?.connect().catch(() => undefined)
      return new RedisBackend({ shared: link.client, blocking, queue, prefix, paces, bullmq })
    },
    listQueues: () => listRedisQueues(link, prefix),
    ask: (work) => link.ask(work),
    check: async () => void (await link.client.set(`${prefix}:check`, '', 'EX', checkSeconds)),
    onReturn: (told) => link.onReturn(told),
    tells: isRedisTrouble,
    plain: (error) => link.plain(error),
    close: () => link.close(),
  }
}

/** Tells what Redis refuses; that it is away is told by the link. */
function consumerPace(link: RedisLink, log: Log, doing: string): Pace {
  return new Pace({
    isTrouble: (error) => isRedisTrouble(error) && !isConnectionLoss(error),
    began: (error) => log.warn({ err: link.plain(error) }, `queue: consumers cannot ${doing}`),
    over: () => log.info({}, `queue: consumers can ${doing} again`),
  })
}

/** Every queue that has left anything under the prefix: none is without its settings. Reads the names of all keys. */
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
  // Another prefix may begin with ours; the names of queues hold no colon.
  return [...names].filter((name) => !name.includes(':'))
}
