import { z } from 'zod'
import type { Db } from '../db/schema.ts'
import { findLiveTurnAddress } from '../db/turn/turn-activity.ts'
import type { ChatPlatform, LiveEvent } from '../ports/chat.ts'
import type { SignedEvent } from '../rules/jobs/live.ts'
import { dropOldest } from '../util/drop-oldest.ts'

const turn = { turnId: z.uuid(), epoch: z.number().int() }

/** A live event from an agent or a replica. */
const liveEvent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('text'),
    ...turn,
    offset: z.number().int().nonnegative(),
    text: z.string(),
  }),
  z.strictObject({
    kind: z.literal('progress'),
    ...turn,
    callId: z.string(),
    tool: z.string(),
    text: z.string(),
    elapsedMs: z.number(),
  }),
  z.strictObject({ kind: z.literal('thinking'), ...turn }),
])

const envelope = z.object({ conversationId: z.uuid(), event: liveEvent })
const remembered = 10_000

/** The chat address where a turn's live events are shown. */
interface LiveAddress {
  readonly place: string
  readonly epoch: number
  readonly worker: string
  readonly callerId: string
}

/** Forwards live events of running turns to the conversation's platform. Any event may be lost. */
export class LiveRelay {
  readonly #db: Db
  readonly #platform: ChatPlatform
  /** By turn and conversation; `undefined`: the turn had already ended, or belongs to another platform. */
  readonly #stages = new Map<string, Promise<LiveAddress | undefined>>()
  readonly #epochs = new Map<string, number>()
  /** Number of characters of the current step already shown, by turn. */
  readonly #shown = new Map<string, number>()

  constructor(db: Db, platform: ChatPlatform) {
    this.#db = db
    this.#platform = platform
  }

  /**
   * Shows a live event. INT-2: a holder that lost its turn may still stream; the new holder has a higher epoch. Events of an
   * ended turn are ignored: they could be recorded and replayed to a restarted gateway.
   */
  async show({ from, said }: SignedEvent): Promise<void> {
    const parsed = envelope.safeParse(said)
    if (!parsed.success) return
    const { conversationId, event } = parsed.data
    const stage = await this.#stageOf(conversationId, event.turnId)
    if (stage === undefined || !mayEmit(from, event, stage)) return
    const { place, epoch, callerId } = stage
    if (event.epoch < (this.#epochs.get(event.turnId) ?? epoch)) return
    this.#remember(event)
    if (event.kind === 'text' && !this.#goesOn(event)) return
    this.#platform.live(place, event, callerId)
  }

  /** The platform with delivered answers recorded: events that arrive after a turn's answer are ignored. */
  watched(): ChatPlatform {
    const platform = this.#platform
    return {
      name: platform.name,
      live: (place, event, askedBy) => platform.live(place, event, askedBy),
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

  #stageOf(conversationId: string, turnId: string): Promise<LiveAddress | undefined> {
    const key = `${conversationId} ${turnId}`
    const known = this.#stages.get(key)
    if (known !== undefined) return known
    const asked = findLiveTurnAddress(this.#db, { conversationId, turnId }).then(
      (found) => (found?.platform === this.#platform.name ? found : undefined),
      () => {
        this.#stages.delete(key)
        return undefined
      },
    )
    this.#stages.set(key, asked)
    dropOldest(this.#stages, remembered)
    return asked
  }

  /**
   * DECISIONS 25: after a gap nothing is shown until the next step, because half a sentence may mean the opposite of the whole.
   */
  #goesOn({ turnId, offset, text }: Extract<LiveEvent, { kind: 'text' }>): boolean {
    const goesOn = offset === 0 || offset === this.#shown.get(turnId)
    this.#shown.delete(turnId)
    if (goesOn) this.#shown.set(turnId, offset + text.length)
    dropOldest(this.#shown, remembered)
    return goesOn
  }

  #remember({ turnId, epoch }: LiveEvent): void {
    this.#epochs.delete(turnId)
    this.#epochs.set(turnId, epoch)
    dropOldest(this.#epochs, remembered)
  }
}

/** Threat 5: a worker may only report output of its own calls. */
function mayEmit(from: SignedEvent['from'], { kind }: LiveEvent, { worker }: LiveAddress): boolean {
  return from.kind === 'agent' || (kind === 'progress' && from.worker === worker)
}
