import { setTimeout as sleep } from 'node:timers/promises'
import {
  type KeyPrefixOptions,
  type QueueBaseOptions,
  QueueKeys,
  RedisConnection,
  RedisQueueBackend,
} from 'bullmq'
import type { Redis } from 'ioredis'
import { pauseAfterMs } from './backoff.ts'
import { endRedisClient } from './redis-client.ts'
import { redisUnreachable } from './redis-error.ts'
import { OpenWaits } from './redis-link.ts'

/**
 * Delays each failure by a time that grows while failures continue, as BullMQ's workers retry at once and would keep a core
 * busy while the server is unreachable or refuses. Reports the start and the end of an outage.
 */
export class FailureDelay {
  readonly #options: FailureDelayOptions
  #failures = 0
  #isOutage = false
  #outages = 0

  constructor(options: FailureDelayOptions) {
    this.#options = options
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#outages
    try {
      const result = await work()
      this.#succeeded(before)
      return result
    } catch (error) {
      this.#failures++
      this.#reportOutage(error)
      await sleep(pauseAfterMs(this.#failures), undefined, { ref: false })
      throw error
    }
  }

  /** Ignores a success that was requested before the outage started. */
  #succeeded(troublesBefore: number): void {
    if (troublesBefore !== this.#outages) return
    this.#failures = 0
    if (this.#isOutage) this.#options.onEnd()
    this.#isOutage = false
  }

  #reportOutage(error: unknown): void {
    if (this.#isOutage || !this.#options.isOutage(error)) return
    this.#isOutage = true
    this.#outages++
    this.#options.onStart(error)
  }
}

/** Fields of a stored job that BullMQ needs. Others, including options and schedules, are not used here. */
const neededFields = new Set([
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

/** Otherwise BullMQ would query the server's version on each connection and print warnings to the console. */
const skipVersionCheck = true

/** Separate for each operation of consumers, so that one that works does not hide another that fails. */
interface RedisDelays {
  readonly wait: FailureDelay
  readonly take: FailureDelay
}

interface RedisBackendOptions {
  /** Used for everything except the waiting of workers. */
  readonly shared: Redis
  /** The connection on which a worker waits for jobs. */
  readonly blocking?: Redis | undefined
  readonly queue: string
  readonly prefix: string
  readonly paces: RedisDelays
  /** Options of the BullMQ queue or worker. */
  readonly bullmq: QueueBaseOptions<unknown>
}

/** Scripts that return the next job. */
const jobScripts = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed'])

/** BullMQ's Redis backend on connections created here. Commands issued while Redis is unreachable wait for it. */
export class RedisBackend extends RedisQueueBackend {
  readonly #shared: Redis
  readonly #blocking: Redis | undefined
  readonly #paces: RedisDelays
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

  /** A worker started while Redis is unreachable counts as ready, like one that was already running. */
  override waitUntilReady(): Promise<void> {
    return Promise.resolve()
  }

  override waitForJob(...args: Parameters<RedisQueueBackend['waitForJob']>) {
    return this.#paces.wait.run(() => super.waitForJob(...args))
  }

  /** Removes everything but the data from stored jobs, as anyone with the password of Redis could have written them. */
  override execCommand(...[client, script, args]: Parameters<RedisQueueBackend['execCommand']>) {
    const answer = super.execCommand(client, script, args)
    return jobScripts.has(script) ? answer.then(withPlainJob) : answer
  }

  override moveToActive(...args: Parameters<RedisQueueBackend['moveToActive']>) {
    return this.#unlessGivenUp(() => this.#paces.take.run(() => super.moveToActive(...args)))
  }

  override moveToFinished(...args: Parameters<RedisQueueBackend['moveToFinished']>) {
    return this.#unlessGivenUp(() => super.moveToFinished(...args))
  }

  /** Closes a worker without waiting for an unreachable Redis, as BullMQ would. */
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
    this.#waits.endAll(redisUnreachable(givenUpReason))
  }

  async #unlessGivenUp<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isGivenUp) throw redisUnreachable(givenUpReason)
    return await this.#waits.on(work())
  }
}

const givenUpReason = 'Redis is unreachable, and the worker is closing'

/**
 * Replaces content that BullMQ could not parse in the next job returned by a script. BullMQ parses a job after taking it; a
 * malformed one would be abandoned, found as stalled and taken again every half minute, forever.
 */
function withPlainJob(answer: unknown): unknown {
  if (!Array.isArray(answer) || !Array.isArray(answer[0])) return answer
  const [job, id, ...times] = answer
  return isId(id) ? [toPlainFields(job), id, ...times] : answer
}

function isId(id: unknown): boolean {
  return typeof id === 'string'
}

function toPlainFields(fields: readonly unknown[]): readonly unknown[] {
  const pairs = fields.flatMap((name, index) =>
    index % 2 === 0 && neededFields.has(String(name)) ? [[name, fields[index + 1]]] : [],
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

interface FailureDelayOptions {
  /** Whether an error is due to the server's state; others are reported by the caller. */
  readonly isOutage: (error: unknown) => boolean
  /** Both are called once per outage. */
  readonly onStart: (error: unknown) => void
  readonly onEnd: () => void
}
