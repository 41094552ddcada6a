import { z } from 'zod'
import { getConversation } from '../db/conversations.ts'
import type { Db } from '../db/schema.ts'
import type { ChatPlatform, LiveEvent } from '../ports/chat.ts'
import { liveEvent } from './live-event.ts'

const envelope = z.object({ conversationId: z.uuid(), event: liveEvent })
const remembered = 10_000

/** Hands what shows while a turn runs to the platform of its conversation. All of it may be lost. */
export class LiveRelay {
  readonly #db: Db
  readonly #platform: ChatPlatform
  /** Places by conversation; `undefined`: it is another platform's. */
  readonly #places = new Map<string, Promise<string | undefined>>()
  readonly #epochs = new Map<string, number>()

  constructor(db: Db, platform: ChatPlatform) {
    this.#db = db
    this.#platform = platform
  }

  /** An event off the bus. INT-2: a holder that lost its turn may still stream; who took it over has a higher epoch. */
  async show(payload: unknown): Promise<void> {
    const parsed = envelope.safeParse(payload)
    if (!parsed.success) return
    const { conversationId, event } = parsed.data
    const place = await this.#placeOf(conversationId)
    if (place === undefined || event.epoch < (this.#epochs.get(event.turnId) ?? 0)) return
    this.#remember(event)
    this.#platform.live(place, event)
  }

  /** The platform, noting what is answered: events may come after the answer they led to, and show no more. */
  watched(): ChatPlatform {
    const platform = this.#platform
    return {
      name: platform.name,
      live: (place, event) => platform.live(place, event),
      ...(platform.retract === undefined
        ? {}
        : {
            retract: (place, messageId) =>
              platform.retract?.(place, messageId) ?? Promise.resolve(),
          }),
      deliver: (place, message, context) => {
        if (message.kind === 'answer') this.#epochs.set(message.turnId, Number.POSITIVE_INFINITY)
        return platform.deliver(place, message, context)
      },
    }
  }

  #placeOf(conversationId: string): Promise<string | undefined> {
    const known = this.#places.get(conversationId)
    if (known !== undefined) return known
    const asked = getConversation(this.#db, conversationId).then(
      ({ platform, external_id }) => (platform === this.#platform.name ? external_id : undefined),
      () => {
        this.#places.delete(conversationId)
        return undefined
      },
    )
    this.#places.set(conversationId, asked)
    dropOldest(this.#places)
    return asked
  }

  #remember({ turnId, epoch }: LiveEvent): void {
    this.#epochs.delete(turnId)
    this.#epochs.set(turnId, epoch)
    dropOldest(this.#epochs)
  }
}

function dropOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size > remembered && oldest !== undefined) map.delete(oldest)
}
