import { setTimeout as sleep } from 'node:timers/promises'
import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../util/log.ts'
import { pauseAfterMs, retryUntilUp } from './backoff.ts'
import { decodeEvent, encodeEvent, Subscriptions } from './create-redis-bus.ts'

/** The part of a `pg.Client` that the bus needs: unconnected, with `keepAlive` set. */
export interface ListenClient {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  on(
    event: 'notification',
    told: (note: { readonly payload?: string | undefined }) => void,
  ): unknown
  on(event: 'error', told: (error: Error) => void): unknown
  on(event: 'end', told: () => void): unknown
  end(): Promise<unknown>
}

export interface PostgresBusOptions {
  /** Creates a client for a LISTEN connection; one is open at a time, for all topics. */
  readonly listen: () => ListenClient
  /** Publishes an event, usually `pool.query`. */
  readonly notify: (text: string, values: readonly string[]) => Promise<unknown>
  readonly log: Log
  readonly signal?: AbortSignal
  /** True if every subscriber is in this process: its events need not pass the server, which others may still publish over. */
  readonly isAlone?: boolean
}

const channel = 'countersign_bus'

/**
 * Creates a bus on LISTEN/NOTIFY. Waits for an unreachable server, until the signal aborts. Later it reconnects by itself;
 * events published meanwhile are lost.
 */
export async function createPostgresBus(options: PostgresBusOptions): Promise<Bus> {
  const bus = new PostgresBus(options)
  await bus.start()
  return bus
}

class PostgresBus implements Bus {
  readonly #options: PostgresBusOptions
  readonly #subscriptions: Subscriptions
  readonly #stopped = new AbortController()
  #client: ListenClient | undefined

  constructor(options: PostgresBusOptions) {
    this.#options = options
    this.#subscriptions = new Subscriptions(options.log)
  }

  async start(): Promise<void> {
    const { log, signal } = this.#options
    await retryUntilUp(() => this.#connect(), { log, signal, what: 'bus' })
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const text = encodeEvent(topic, payload, this.#options.log)
    if (text === undefined) return
    if (this.#options.isAlone === true) {
      setImmediate(() => this.#receive(text))
      return
    }
    try {
      await this.#options.notify('SELECT pg_notify($1, $2)', [channel, text])
    } catch (error) {
      this.#options.log.debug({ topic, err: error }, 'bus: failed to publish event')
    }
  }

  async subscribe(topic: string, handle: (payload: unknown) => void): Promise<AsyncDisposable> {
    return this.#subscriptions.add(topic, handle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const client = this.#options.listen()
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', (note) => this.#receive(note.payload ?? ''))
    try {
      await client.connect()
      await client.query(`LISTEN ${channel}`)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    this.#client = client
    if (this.#stopped.signal.aborted) await this[Symbol.asyncDispose]()
  }

  #lost(client: ListenClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#options.log.warn({}, 'bus: connection lost')
    client.end().catch(() => undefined)
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopped
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#connect()
        this.#options.log.info({}, 'bus: reconnected')
        return
      } catch {
        await sleep(pauseAfterMs(failures), undefined, { signal, ref: false }).catch(
          () => undefined,
        )
      }
    }
  }

  #receive(text: string): void {
    const event = decodeEvent(text)
    if (event === undefined) {
      this.#options.log.debug({}, 'bus: unknown message on the channel')
      return
    }
    this.#subscriptions.dispatch(event.topic, event.payload)
  }
}
