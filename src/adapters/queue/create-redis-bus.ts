import { z } from 'zod'
import type { Bus } from '../../ports/bus.ts'
import { type Log, silentLog } from '../../util/log.ts'
import { parseRedisAddress } from './redis-address.ts'
import { openRedisLink, type RedisLink } from './redis-link.ts'

/** Handlers by topic. An error of a handler is logged and does not affect the others. */
export class Subscriptions {
  readonly #log: Log
  readonly #byTopic = new Map<string, Set<{ readonly handle: Handle }>>()

  constructor(log: Log) {
    this.#log = log
  }

  add(topic: string, handle: Handle): AsyncDisposable {
    const entries = this.#byTopic.get(topic) ?? new Set()
    const entry = { handle }
    this.#byTopic.set(topic, entries.add(entry))
    return {
      [Symbol.asyncDispose]: async () => {
        entries.delete(entry)
        if (entries.size === 0 && this.#byTopic.get(topic) === entries) this.#byTopic.delete(topic)
      },
    }
  }

  dispatch(topic: string, payload: unknown): void {
    for (const { handle } of [...(this.#byTopic.get(topic) ?? [])]) {
      try {
        handle(payload)
      } catch (error) {
        this.#log.error({ topic, err: error }, 'bus: subscriber failed')
      }
    }
  }
}

/** NOTIFY allows 7,999 bytes; every bus keeps the same limit. */
const maxBytes = 7_000

const envelope = z.object({ topic: z.string(), payload: z.unknown() })

/**
 * Creates a bus on Redis pub/sub, with one channel for each prefix and database. Waits for an unreachable server, until the
 * signal aborts. Later it reconnects by itself; events published meanwhile are lost. Uses two connections, as one that
 * subscribes can do nothing else.
 */
export async function createRedisBus(options: {
  readonly url: string
  readonly prefix: string
  readonly log: Log
  /** Time after which Redis counts as unreachable if it does not answer, in milliseconds. */
  readonly answerMs?: number
  readonly signal?: AbortSignal
}): Promise<Bus> {
  const { url, prefix, log, answerMs = 5_000, signal } = options
  const shared = { url, name: `${prefix}:bus`, what: 'bus', pending: 'refuse', answerMs } as const
  await using opened = new AsyncDisposableStack()
  const subscriber = opened.adopt(await openRedisLink({ ...shared, log, signal }), (one) =>
    one.close(),
  )
  // Only one of the two connections logs the state of the server.
  const publisher = opened.adopt(
    await openRedisLink({ ...shared, log: silentLog, signal }),
    (one) => one.close(),
  )
  // Channels of Redis are not separated by database.
  const channel = `${prefix}:${parseRedisAddress(url).db}:bus`
  const bus = new RedisBus({ subscriber, publisher, channel, log })
  await bus.listen()
  opened.move()
  return bus
}

interface RedisBusParts {
  readonly subscriber: RedisLink
  readonly publisher: RedisLink
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
    const { subscriber, channel, log } = this.#parts
    subscriber.client.on('message', (_channel, text) => this.#receive(text))
    const subscribe = () => subscriber.ask(() => subscriber.client.subscribe(channel))
    subscriber.onReturn(() => {
      subscribe().catch((error) => log.warn({ err: error }, 'bus: failed to subscribe at Redis'))
    })
    await subscribe()
  }

  async publish(topic: string, payload: unknown): Promise<void> {
    const { publisher, channel, log } = this.#parts
    const text = encodeEvent(topic, payload, log)
    if (text === undefined || this.#isClosed) return
    try {
      await publisher.ask(() => publisher.client.publish(channel, text))
    } catch (error) {
      log.debug({ topic, err: error }, 'bus: failed to publish event')
    }
  }

  async subscribe(topic: string, handle: (payload: unknown) => void): Promise<AsyncDisposable> {
    return this.#subscriptions.add(topic, handle)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#parts.subscriber.close(), this.#parts.publisher.close()])
  }

  #receive(text: string): void {
    const event = decodeEvent(text)
    if (event === undefined) {
      this.#parts.log.debug({}, 'bus: unknown message on the channel')
      return
    }
    this.#subscriptions.dispatch(event.topic, event.payload)
  }
}

/** Encodes an event; undefined, with a log line, if it is too large. */
export function encodeEvent(topic: string, payload: unknown, log: Log): string | undefined {
  const text = JSON.stringify({ topic, payload })
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  log.warn({ topic, bytes }, 'bus: event dropped, too large')
  return undefined
}

/** Decodes a message of the channel; undefined if it is not an event. */
export function decodeEvent(text: string): z.infer<typeof envelope> | undefined {
  if (text.length > maxBytes) return undefined
  try {
    return envelope.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

type Handle = (payload: unknown) => void
