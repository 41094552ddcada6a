import type { Card } from '../../../domain/approval.ts'
import type { Chat, Failed, Messenger, SendOptions } from '../outgoing/messenger.ts'
import { type CardView, drawCard } from '../render/draw-card.ts'
import { drawLive, type RunningTurn } from '../render/draw-live.ts'

export interface TurnTarget {
  readonly place: string
  readonly turnId: string
  /** Whether the turn was shown as a draft so far, or not at all. */
  readonly mayDraft: boolean
  /** Caller id of the turn's owner, if known. */
  readonly askedBy: string | undefined
  /** Id of the transient message, if it exists. */
  readonly messageId: string | undefined
  /** Token of its Stop button; undefined if it has none at the moment. */
  stop(): Promise<string | undefined>
}

export interface TransientMessage {
  readonly messageId: string | undefined
  /** An edited message, a streamed one, or a draft. */
  readonly kind: 'message' | 'stream' | 'draft'
}

/** A delivered card whose call is running. */
export interface CardTarget {
  readonly place: string
  readonly messageId: string
  /** Token of its Stop button; undefined if it has none at the moment. */
  stop(): Promise<string | undefined>
}

/** Draws transient messages; rejects with the errors of the platform's client. */
export interface LiveScreen {
  chatOf(place: string): Chat | undefined
  /**
   * Shows a turn as a streamed message (SLACK-03) or draft (TG-05) if the platform supports it, otherwise as an edited message.
   */
  showTurn(target: TurnTarget, turn: RunningTurn, signal: AbortSignal): Promise<TransientMessage>
  showCard(target: CardTarget, card: Card, view: CardView, signal: AbortSignal): Promise<void>
  showTyping(place: string, signal: AbortSignal, turnId: string): Promise<void>
  /** Classifies the error of a call. Rethrows errors that are not from the client. */
  toDelivery(error: unknown): Failed
}

export function createLiveScreen<Drawn>(messenger: Messenger<Drawn>): LiveScreen {
  const { canvas } = messenger
  return {
    chatOf: (place) => messenger.chatOf(place),
    showTurn: async (target, turn, signal) => {
      const buttons = () => withStop(messenger, target.stop)
      const streamed = await messenger.stream?.({ ...target, running: turn, buttons }, signal)
      if (streamed !== undefined) return { messageId: streamed, kind: 'stream' }
      const { place, turnId, messageId, mayDraft } = target
      // The attempt to stream used up the time; a durable message may be next.
      if (signal.aborted) return { messageId, kind: 'message' }
      const drawn = drawLive(canvas, turn)
      const isDraft =
        mayDraft && messageId === undefined && (await messenger.draft(place, turnId, drawn, signal))
      if (isDraft) return { messageId: undefined, kind: 'draft' }
      return { messageId: await write(messenger, target, drawn, signal), kind: 'message' }
    },
    showCard: async ({ place, messageId, stop }, card, view, signal) => {
      const { drawn } = drawCard(canvas, card, view)
      await messenger.edit(place, messageId, drawn, {
        ...(await withStop(messenger, stop)),
        signal,
      })
    },
    showTyping: (place, signal, turnId) => messenger.showTyping(place, signal, turnId),
    toDelivery: (error) => messenger.toDelivery(error),
  }
}

/** Sends or edits the message. Sending notifies people, as the answer will later replace this message, and edits do not. */
async function write<Drawn>(
  messenger: Messenger<Drawn>,
  { place, messageId, stop }: TurnTarget,
  drawn: Drawn,
  signal: AbortSignal,
): Promise<string> {
  const options = { ...(await withStop(messenger, stop)), signal }
  if (messageId === undefined) return messenger.send(place, drawn, options)
  try {
    await messenger.edit(place, messageId, drawn, options)
    return messageId
  } catch (error) {
    if (messenger.toDelivery(error).kind !== 'refused') throw error
    return messenger.send(place, drawn, options)
  }
}

async function withStop<Drawn>(
  { canvas }: Messenger<Drawn>,
  stop: CardTarget['stop'],
): Promise<Pick<SendOptions, 'buttons'>> {
  const token = await stop()
  if (token === undefined) return {}
  return {
    buttons: [
      [{ action: 'stop', label: canvas.messages.display.labels.stop, style: 'danger', token }],
    ],
  }
}
