import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Bus } from '../../ports/bus.ts'
import type { Log } from '../../util/log.ts'
import { backoffMs, untilUp } from './backoff.ts'
import { Subscriptions } from './subscriptions.ts'

/** What the bus needs of a `pg.Client` of its own, not connected yet. Set `keepAlive` on it. */
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
  /** A fresh client for each LISTEN connection: one lives at a time, for all topics. */
  readonly listen: () => ListenClient
  /** Publishes, usually `pool.query`. */
  readonly notify: (text: string, values: readonly string[]) => Promise<unknown>
  readonly log: Log
  readonly signal?: AbortSignal
}

/** NOTIFY takes 7,999 bytes at most. */
const maxBytes = 7_000
const channel = 'countersign_bus'
const envelope = z.object({ topic: z.string(), payload: z.unknown() })

/**
 * The bus over LISTEN/NOTIFY. Waits for a server that is away, until the signal; afterwards it reconnects by itself,
 * and what was published meanwhile is lost.
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
    await untilUp(() => this.#connect(), { log, signal, what: 'bus' })
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const text = JSON.stringify({ topic, payload })
    const bytes = Buffer.byteLength(text)
    if (bytes > maxBytes) {
      this.#options.log.warn({ topic, bytes }, 'bus: an event was too large and is dropped')
      return
    }
    try {
      await this.#options.notify('SELECT pg_notify($1, $2)', [channel, text])
    } catch (error) {
      this.#options.log.debug({ topic, err: error }, 'bus: an event was lost')
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
    this.#options.log.warn({}, 'bus: the connection was lost')
    client.end().catch(() => undefined)
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopped
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        await this.#connect()
        this.#options.log.info({}, 'bus: connected again')
        return
      } catch {
        await sleep(backoffMs(failures), undefined, { signal, ref: false }).catch(() => undefined)
      }
    }
  }

  #receive(text: string): void {
    const event = parseEvent(text)
    if (event === undefined) {
      this.#options.log.debug({}, 'bus: something else was on the channel')
      return
    }
    this.#subscriptions.tell(event.topic, event.payload)
  }
}

function parseEvent(text: string): z.infer<typeof envelope> | undefined {
  try {
    return envelope.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
