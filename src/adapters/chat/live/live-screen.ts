import type { Card } from '../../../domain/approval.ts'
import type { Chat, Failed, Messenger, SendOptions } from '../outgoing/messenger.ts'
import { type CardView, drawCard } from '../render/draw-card.ts'
import { drawLive, type RunningTurn } from '../render/draw-live.ts'

export interface PassingTarget {
  readonly place: string
  readonly turnId: string
  /** Whether the turn showed as a draft so far, or did not show. */
  readonly mayDraft: boolean
  /** Whose turn it is, where it is known. */
  readonly askedBy: string | undefined
  /** The passing message, where there is one already. */
  readonly messageId: string | undefined
  /** The token of its Stop button; undefined: it has none just now. */
  stop(): Promise<string | undefined>
}

export interface PassingMessage {
  readonly messageId: string | undefined
  /** A message that stays, one that grows, or a draft. */
  readonly kind: 'message' | 'stream' | 'draft'
}

/** A card that was delivered, and whose call runs. */
export interface CardTarget {
  readonly place: string
  readonly messageId: string
  /** As above. */
  stop(): Promise<string | undefined>
}

/** Where passing things show; rejects with the errors of the platform's client. */
export interface LiveScreen {
  chatOf(place: string): Chat | undefined
  /** Shows a turn in a message that grows (SLACK-03), or as a draft (TG-05), where there is such; else in one that is edited. */
  showTurn(target: PassingTarget, turn: RunningTurn, signal: AbortSignal): Promise<PassingMessage>
  showCard(target: CardTarget, card: Card, view: CardView, signal: AbortSignal): Promise<void>
  showTyping(place: string, signal: AbortSignal, turnId: string): Promise<void>
  /** What came of a call that failed. Throws what is no error of the client. */
  toDelivery(error: unknown): Failed
}

export function createLiveScreen<Drawn>(messenger: Messenger<Drawn>): LiveScreen {
  const { canvas } = messenger
  return {
    chatOf: (place) => messenger.chatOf(place),
    showTurn: async (target, turn, signal) => {
      const buttons = () => withStop(target.stop)
      const streamed = await messenger.stream?.({ ...target, running: turn, buttons }, signal)
      if (streamed !== undefined) return { messageId: streamed, kind: 'stream' }
      const { place, turnId, messageId, mayDraft } = target
      // What could not be streamed took so long that something lasting may go now.
      if (signal.aborted) return { messageId, kind: 'message' }
      const drawn = drawLive(canvas, turn)
      const isDraft =
        mayDraft && messageId === undefined && (await messenger.draft(place, turnId, drawn, signal))
      if (isDraft) return { messageId: undefined, kind: 'draft' }
      return { messageId: await write(messenger, target, drawn, signal), kind: 'message' }
    },
    showCard: async ({ place, messageId, stop }, card, view, signal) => {
      const { drawn } = drawCard(canvas, card, view)
      await messenger.edit(place, messageId, drawn, { ...(await withStop(stop)), signal })
    },
    showTyping: (place, signal, turnId) => messenger.showTyping(place, signal, turnId),
    toDelivery: (error) => messenger.toDelivery(error),
  }
}

/** It rings: the answer takes this message's place, and nobody hears an edit. */
async function write<Drawn>(
  messenger: Messenger<Drawn>,
  { place, messageId, stop }: PassingTarget,
  drawn: Drawn,
  signal: AbortSignal,
): Promise<string> {
  const options = { ...(await withStop(stop)), signal }
  if (messageId === undefined) return messenger.send(place, drawn, options)
  try {
    await messenger.edit(place, messageId, drawn, options)
    return messageId
  } catch (error) {
    if (messenger.toDelivery(error).kind !== 'refused') throw error
    return messenger.send(place, drawn, options)
  }
}

async function withStop(stop: CardTarget['stop']): Promise<Pick<SendOptions, 'buttons'>> {
  const token = await stop()
  if (token === undefined) return {}
  return { buttons: [[{ action: 'stop', label: 'Stop', style: 'danger', token }]] }
}
