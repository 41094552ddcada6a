import {
  type KeyPrefixOptions,
  type QueueBaseOptions,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
} from 'bullmq'
import type { Redis } from 'ioredis'
import { OpenWaits } from './open-waits.ts'
import type { Pace } from './pace.ts'
import { endRedisClient } from './redis-client.ts'
import { redisAway } from './redis-error.ts'

/** Fields of a stored job that BullMQ needs; of the others, options and schedules included, we use none. */
const needed = new Set([
  'name',
  'data',
  'timestamp',
  'delay',
  'priority',
  'ats',
  'atm',
  'stc',
  'processedOn',
  'pb',
  'defa',
])

/** BullMQ would ask every connection for the server's version, and write what it thinks of it to the console. */
const skipVersionCheck = true

/** One for each thing that all consumers do: what still works must not hide what fails. */
export interface RedisPaces {
  readonly wait: Pace
  readonly take: Pace
}

export interface RedisBackendOptions {
  /** Carries everything but the waiting of workers. */
  readonly shared: Redis
  /** A worker's own, on which it waits for jobs. */
  readonly blocking?: Redis | undefined
  readonly queue: string
  readonly prefix: string
  readonly paces: RedisPaces
  /** Those of the BullMQ queue or worker. */
  readonly bullmq: QueueBaseOptions<unknown>
}

/** Scripts that answer with the next job. */
const handsOutJobs = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed'])

/** BullMQ's Redis backend on connections of ours. What is asked while Redis is away waits until it is back. */
export class RedisBackend extends RedisQueueBackend {
  readonly #shared: Redis
  readonly #blocking: Redis | undefined
  readonly #paces: RedisPaces
  readonly #waits = new OpenWaits()
  #isGivenUp = false

  constructor({ shared, blocking, queue, prefix, paces, bullmq }: RedisBackendOptions) {
    const keys = new QueueKeys(prefix)
    const options: QueueBaseOptions & KeyPrefixOptions = { ...bullmq, prefix, connection: shared }
    super(
      new RedisConnection(shared, { shared: true, blocking: false, skipVersionCheck }),
      queue,
      keys.getKeys(queue),
      (type) => keys.toKey(queue, type),
      options,
      blocking && new RedisConnection(blocking, { blocking: true, skipVersionCheck }),
    )
    this.#shared = shared
    this.#blocking = blocking
    this.#paces = paces
  }

  /** A worker that is started while Redis is away is as good as one that was running. */
  override waitUntilReady(): Promise<void> {
    return Promise.resolve()
  }

  override waitForJob(...args: Parameters<RedisQueueBackend['waitForJob']>) {
    return this.#paces.wait.run(() => super.waitForJob(...args))
  }

  /** What lies in Redis was put there by anybody who has its password: nothing of a job is believed but its data. */
  override execCommand(...[client, script, args]: Parameters<RedisQueueBackend['execCommand']>) {
    const answer = super.execCommand(client, script, args)
    return handsOutJobs.has(script) ? answer.then(withPlainJob) : answer
  }

  override moveToActive(...args: Parameters<RedisQueueBackend['moveToActive']>) {
    return this.#whileWanted(() => this.#paces.take.run(() => super.moveToActive(...args)))
  }

  override moveToFinished(...args: Parameters<RedisQueueBackend['moveToFinished']>) {
    return this.#whileWanted(() => super.moveToFinished(...args))
  }

  /** A worker that closes: BullMQ would first wait for a Redis that is away to come back. */
  override async disconnectBlocking(): Promise<void> {
    if (this.#shared.status !== 'ready') this.#giveUp()
    else this.#shared.once('close', this.#giveUp)
    if (this.#blocking) await endRedisClient(this.#blocking)
  }

  override async close(): Promise<void> {
    this.#shared.off('close', this.#giveUp)
    if (this.#blocking) await endRedisClient(this.#blocking)
    await super.close()
  }

  readonly #giveUp = () => {
    this.#isGivenUp = true
    this.#waits.endAll(redisAway(unwanted))
  }

  async #whileWanted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isGivenUp) throw redisAway(unwanted)
    return await this.#waits.on(work())
  }
}

const unwanted = 'Redis is away, and nobody waits for it any more'

/**
 * An answer of a script that hands out the next job, with nothing in it that BullMQ would stumble over: it reads a job after
 * it was taken, so that one it cannot read would be given up, found again and taken again for ever, half a minute apart.
 */
function withPlainJob(answer: unknown): unknown {
  if (!Array.isArray(answer) || !Array.isArray(answer[0])) return answer
  const [job, id, ...times] = answer
  return isId(id) ? [plain(job), id, ...times] : answer
}

function isId(id: unknown): boolean {
  return typeof id === 'string'
}

function plain(fields: readonly unknown[]): readonly unknown[] {
  const pairs = fields.flatMap((name, index) =>
    index % 2 === 0 && needed.has(String(name)) ? [[name, fields[index + 1]]] : [],
  )
  return pairs.flatMap(([name, value]) => [
    name,
    name === 'data' && !isJson(value) ? 'null' : value,
  ])
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text))
    return true
  } catch {
    return false
  }
}
