import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { isConnectionLoss } from '../../util/connection-loss.ts'
import type { Log } from '../../util/log.ts'
import { untilUp } from './backoff.ts'
import { OpenWaits } from './open-waits.ts'
import { probeRedis, type RedisFacts } from './probe-redis.ts'
import { parseRedisAddress } from './redis-address.ts'
import { createRedisClient, endRedisClient, type RedisClientOptions } from './redis-client.ts'
import { redisAway, withoutSecrets } from './redis-error.ts'

export interface RedisLinkOptions {
  readonly url: string
  /** Begins every line of the log, and names the connection. */
  readonly what: 'queue' | 'bus'
  readonly name: string
  readonly pending: RedisClientOptions['pending']
  readonly log: Log
  /** How long Redis may take to answer before it counts as away. */
  readonly answerMs: number
  readonly signal?: AbortSignal | undefined
}

/** Opens a connection; a server that is away is waited for until the signal, one that refuses us ends it. */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  const { url, what, log, answerMs, signal } = options
  const address = parseRedisAddress(url)
  const attempt = async () => {
    const facts = await probeRedis(address, answerMs, signal)
    const link = new RedisLink(facts, options)
    await link.open()
    return link
  }
  return await untilUp(attempt, { log, signal, what })
}

/** One connection to Redis that comes back by itself. Tells once that it was lost and once that it is back. */
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

  /** A further connection of the same kind, not opened yet, which the caller ends. */
  another(name: string): Redis {
    const { address } = this.#facts
    const { answerMs, pending } = this.#options
    return createRedisClient({ address, name, answerMs, pending })
  }

  /** Calls `told` each time the connection is back; Redis may have forgotten everything meanwhile. */
  onReturn(told: () => void): void {
    this.#returns.add(told)
  }

  /** Runs what somebody waits for: refused while Redis is away or goes away, and when it does not answer in time. */
  async ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.client.status !== 'ready') throw redisAway('Redis is away')
    const { answerMs } = this.#options
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      reject(redisAway(`Redis did not answer within ${answerMs / 1_000} s`))
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
    this.#options.log.info({}, `${this.#options.what}: Redis is back`)
    for (const told of this.#returns) told()
  }

  #lost(): void {
    this.#waits.endAll(redisAway('Redis went away'))
    if (this.#state !== 'up' || this.#ended.signal.aborted) return
    this.#state = 'away'
    const err = this.#lastError === undefined ? undefined : this.plain(this.#lastError)
    this.#options.log.warn({ err }, `${this.#options.what}: Redis is away`)
  }

  /** Errors explain a loss; one that says more than that will not pass by waiting, such as a changed password. */
  #failed(error: Error): void {
    this.#lastError = error
    if (this.#state !== 'away' || isConnectionLoss(error)) return
    this.#state = 'refused'
    const { log, what } = this.#options
    log.error({ err: this.plain(error) }, `${what}: Redis is back, but refuses us`)
  }

  /** Drops a connection that is open and yet answers nothing: a frozen server, or a path that swallows packets. */
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
