import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { isConnectionLoss } from '../../util/has-code.ts'
import type { Log } from '../../util/log.ts'
import { retryUntilUp } from './backoff.ts'
import { probeRedis, type RedisFacts } from './probe-redis.ts'
import { parseRedisAddress } from './redis-address.ts'
import { createRedisClient, endRedisClient, type RedisClientOptions } from './redis-client.ts'
import { redisUnreachable, withoutSecrets } from './redis-error.ts'

/** Pending waits that can be ended together. Racing all of them against one promise would keep their results in memory. */
export class OpenWaits {
  readonly #refusals = new Set<(error: Error) => void>()

  /** The result of `work`, or a rejection with the error passed to `endAll` meanwhile. */
  async on<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#refusals.add(reject)
    try {
      return await Promise.race([work, promise])
    } finally {
      this.#refusals.delete(reject)
    }
  }

  endAll(error: Error): void {
    for (const refuse of this.#refusals) refuse(error)
  }
}

interface RedisLinkOptions {
  readonly url: string
  /** Prefix of log lines. */
  readonly what: 'queue' | 'bus'
  readonly name: string
  readonly pending: RedisClientOptions['pending']
  readonly log: Log
  /** Time after which Redis counts as unreachable if it does not answer, in milliseconds. */
  readonly answerMs: number
  readonly signal?: AbortSignal | undefined
}

/** Opens a connection. Waits for an unreachable server until the signal aborts; throws RedisRefused if it cannot be used. */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  const { url, what, log, answerMs, signal } = options
  const address = parseRedisAddress(url)
  const attempt = async () => {
    const facts = await probeRedis(address, answerMs, signal)
    const link = new RedisLink(facts, options)
    await link.open()
    return link
  }
  return await retryUntilUp(attempt, { log, signal, what })
}

/** A connection to Redis that reconnects by itself, and logs each loss and reconnection once. */
export class RedisLink {
  readonly client: Redis
  readonly warnings: readonly string[]
  readonly #facts: RedisFacts
  readonly #options: RedisLinkOptions
  readonly #returns = new Set<() => void>()
  readonly #waits = new OpenWaits()
  readonly #ended = new AbortController()
  #state: 'new' | 'up' | 'away' | 'refused' = 'new'
  #lastError: unknown

  constructor(facts: RedisFacts, options: RedisLinkOptions) {
    this.#facts = facts
    this.#options = options
    this.warnings = facts.warnings
    this.client = this.another(options.name)
    this.client.on('error', (error) => this.#failed(error))
    this.client.on('ready', () => this.#ready())
    this.client.on('close', () => this.#lost())
  }

  async open(): Promise<void> {
    const { signal } = this.#options
    const stop = () => void this.close()
    signal?.addEventListener('abort', stop)
    try {
      await this.client.connect()
    } catch (error) {
      await this.close()
      throw this.plain(this.#lastError ?? error)
    } finally {
      signal?.removeEventListener('abort', stop)
    }
    void this.#watch()
  }

  /** Creates another, unconnected client with the same options, which the caller closes. */
  another(name: string): Redis {
    const { address } = this.#facts
    const { answerMs, pending } = this.#options
    return createRedisClient({ address, name, answerMs, pending })
  }

  /** Registers a listener for reconnections, after which Redis may have lost all data. */
  onReturn(told: () => void): void {
    this.#returns.add(told)
  }

  /**
   * Runs an operation that a caller waits for: fails at once while Redis is unreachable, when the connection breaks, and after
   * the time-out.
   */
  async ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.client.status !== 'ready') throw redisUnreachable('Redis is unreachable')
    const { answerMs } = this.#options
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(redisUnreachable(`Redis did not answer within ${answerMs / 1_000} s`))
    }, answerMs)
    try {
      return await this.#waits.on(Promise.race([work(), late]))
    } catch (error) {
      throw this.plain(error)
    } finally {
      clearTimeout(timer)
    }
  }

  plain(error: unknown): Error {
    return withoutSecrets(error, this.#facts.address.password)
  }

  async close(): Promise<void> {
    this.#ended.abort()
    await endRedisClient(this.client)
  }

  #ready(): void {
    const before = this.#state
    this.#state = 'up'
    this.#lastError = undefined
    if (before === 'new' || this.#ended.signal.aborted) return
    this.#options.log.info({}, `${this.#options.what}: Redis is reachable again`)
    for (const told of this.#returns) told()
  }

  #lost(): void {
    this.#waits.endAll(redisUnreachable('connection to Redis lost'))
    if (this.#state !== 'up' || this.#ended.signal.aborted) return
    this.#state = 'away'
    const err = this.#lastError === undefined ? undefined : this.plain(this.#lastError)
    this.#options.log.warn({ err }, `${this.#options.what}: Redis is unreachable`)
  }

  /** Remembers an error as the reason of a loss. One that waiting will not resolve, such as a changed password, is logged. */
  #failed(error: Error): void {
    this.#lastError = error
    if (this.#state !== 'away' || isConnectionLoss(error)) return
    this.#state = 'refused'
    const { log, what } = this.#options
    log.error({ err: this.plain(error) }, `${what}: Redis refuses the connection`)
  }

  /** Drops a connection that does not answer: a frozen server, or a network that loses packets. */
  async #watch(): Promise<void> {
    const { signal } = this.#ended
    const { answerMs } = this.#options
    while (!signal.aborted) {
      await sleep(answerMs, undefined, { signal, ref: false }).catch(() => undefined)
      if (this.client.status !== 'ready') continue
      await this.ask(() => this.client.ping()).catch((error: Error) => {
        this.#lastError = error
        this.client.disconnect(true)
      })
    }
  }
}
