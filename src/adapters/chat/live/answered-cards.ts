import type { Card, CardStatus } from '../../../domain/approval.ts'
import type { LiveEvent } from '../../../ports/chat.ts'

const maxCards = 8

/**
 * Cards that were answered but do not show their call as running yet. Output of the call may arrive before that update is
 * delivered, and belongs on its card all the same.
 */
export class AnsweredCards {
  readonly #cards = new Map<string, { readonly card: Card; progress?: Progress }>()

  /** Records the delivered state of a card; returns progress of its call that arrived before. */
  delivered(card: Card, messageId: string): Progress | undefined {
    const progress = this.#cards.get(messageId)?.progress
    this.#cards.delete(messageId)
    if (isAboutToRun(card.status) && this.#cards.size < maxCards)
      this.#cards.set(messageId, { card })
    return progress
  }

  /** Stores progress for a waiting card; false if there is none. */
  take(event: Progress): boolean {
    const waiting = [...this.#cards.values()].filter(({ card }) => concernsCard(event, card))
    for (const card of waiting) card.progress = event
    return waiting.length > 0
  }
}

/** Whether the card's call runs next. */
export function isAboutToRun({ kind }: CardStatus): boolean {
  return kind === 'approved' || kind === 'granted'
}

export type Progress = Extract<LiveEvent, { kind: 'progress' }>

/** Whether progress is of the card's call; for a card without a call id, of its tool. */
export function concernsCard(
  { callId, tool }: Pick<Progress, 'callId' | 'tool'>,
  card: Pick<Card, 'callId' | 'tool'>,
): boolean {
  return card.callId === undefined ? card.tool === tool : card.callId === callId
}
