import { z } from 'zod'
import type { Db } from '../db/schema.ts'
import { findLiveTurnAddress } from '../db/turn/turn-address.ts'
import type { ChatPlatform, LiveEvent } from '../ports/chat.ts'
import type { SignedEvent } from '../rules/jobs/live.ts'
import { dropOldest } from '../util/drop-oldest.ts'

const turn = { turnId: z.uuid(), epoch: z.number().int() }

/** What an agent or a replica said live. */
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

/** Where what is said of a turn shows. */
interface Stage {
  readonly place: string
  readonly epoch: number
  readonly worker: string
  readonly callerId: string
}

/** Hands what shows while a turn runs to the platform of its conversation. All of it may be lost. */
export class LiveRelay {
  readonly #db: Db
  readonly #platform: ChatPlatform
  /** By turn and conversation; `undefined`: over when it was first heard of, or another platform's. */
  readonly #stages = new Map<string, Promise<Stage | undefined>>()
  readonly #epochs = new Map<string, number>()
  /** How much of a step's text was shown, by turn. */
  readonly #shown = new Map<string, number>()

  constructor(db: Db, platform: ChatPlatform) {
    this.#db = db
    this.#platform = platform
  }

  /**
   * What was said live. INT-2: a holder that lost its turn may still stream; who took it over has a higher epoch. What is
   * said of a turn that is over shows no more: it could be kept and said again to a gateway that starts anew.
   */
  async show({ from, said }: SignedEvent): Promise<void> {
    const parsed = envelope.safeParse(said)
    if (!parsed.success) return
    const { conversationId, event } = parsed.data
    const stage = await this.#stageOf(conversationId, event.turnId)
    if (stage === undefined || !maySay(from, event, stage)) return
    const { place, epoch, callerId } = stage
    if (event.epoch < (this.#epochs.get(event.turnId) ?? epoch)) return
    this.#remember(event)
    if (event.kind === 'text' && !this.#goesOn(event)) return
    this.#platform.live(place, event, callerId)
  }

  /** The platform, noting what is answered: events may come after the answer they led to, and show no more. */
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

  #stageOf(conversationId: string, turnId: string): Promise<Stage | undefined> {
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

  /** DECISIONS 25: after a gap nothing shows until the next step: half a sentence may say the opposite of the whole. */
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

/** Threat 5: a worker speaks of what its own calls print, and for nobody else. */
function maySay(from: SignedEvent['from'], { kind }: LiveEvent, { worker }: Stage): boolean {
  return from.kind === 'agent' || (kind === 'progress' && from.worker === worker)
}
