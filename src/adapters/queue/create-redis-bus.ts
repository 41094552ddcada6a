import type { Bus } from '../../ports/bus.ts'
import { type Log, silentLog } from '../../util/log.ts'
import { decodeEvent, encodeEvent } from './bus-event.ts'
import { parseRedisAddress } from './redis-address.ts'
import { openRedisLink, type RedisLink } from './redis-link.ts'
import { Subscriptions } from './subscriptions.ts'

/**
 * The bus over Redis pub/sub, on one channel for each prefix and database. Waits for a server that is away, until
 * the signal; afterwards it reconnects by itself, and what was published meanwhile is lost. Holds two connections,
 * since one that listens can do nothing else.
 */
export async function createRedisBus(options: {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  /** How long Redis may take to answer before it counts as away, in milliseconds. */
  readonly answerMs?: number
  readonly signal?: AbortSignal
}): Promise<Bus> {
  const { url, prefix, log, answerMs = 5_000, signal } = options
  const shared = { url, name: `${prefix}:bus`, what: 'bus', pending: 'refuse', answerMs } as const
  await using opened = new AsyncDisposableStack()
  const ears = opened.adopt(await openRedisLink({ ...shared, log, signal }), (one) => one.close())
  // One of the two tells what happens to their server.
  const voice = opened.adopt(await openRedisLink({ ...shared, log: silentLog, signal }), (one) =>
    one.close(),
  )
  // Redis tells all databases apart but in its channels.
  const channel = `${prefix}:${parseRedisAddress(url).db}:bus`
  const bus = new RedisBus({ ears, voice, channel, log })
  await bus.listen()
  opened.move()
  return bus
}

interface RedisBusParts {
  readonly ears: RedisLink
  readonly voice: RedisLink
  readonly channel: string
  readonly log: Log
}

class RedisBus implements Bus {
  readonly #parts: RedisBusParts
  readonly #subscriptions: Subscriptions
  #isClosed = false

  constructor(parts: RedisBusParts) {
    this.#parts = parts
    this.#subscriptions = new Subscriptions(parts.log)
  }

  async listen(): Promise<void> {
    const { ears, channel, log } = this.#parts
    ears.client.on('message', (_channel, text) => this.#receive(text))
    const subscribe = () => ears.ask(() => ears.client.subscribe(channel))
    ears.onReturn(() => {
      subscribe().catch((error) => log.warn({ err: error }, 'bus: Redis lets nobody listen'))
    })
    await subscribe()
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const { voice, channel, log } = this.#parts
    const text = encodeEvent(topic, payload, log)
    if (text === undefined || this.#isClosed) return
    try {
      await voice.ask(() => voice.client.publish(channel, text))
    } catch (error) {
      log.debug({ topic, err: error }, 'bus: an event was lost')
    }
  }

  async subscribe(topic: string, handle: (payload: unknown) => void): Promise<AsyncDisposable> {
    return this.#subscriptions.add(topic, handle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#parts.ears.close(), this.#parts.voice.close()])
  }

  #receive(text: string): void {
    const event = decodeEvent(text)
    if (event === undefined) {
      this.#parts.log.debug({}, 'bus: something else was on the channel')
      return
    }
    this.#subscriptions.tell(event.topic, event.payload)
  }
}
