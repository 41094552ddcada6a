import type { Card, CardStatus } from '../../../domain/approval.ts'
import { isAbout, type Progress } from './is-about.ts'

const maxCards = 8

/**
 * Cards that were answered and do not say yet that their call runs: what a call prints may be heard before that is
 * delivered, and belongs on its card all the same.
 */
export class BegunCards {
  readonly #cards = new Map<string, { readonly card: Card; said?: Progress }>()

  /** Takes what a card says now; answers what its call printed before it said so. */
  shown(card: Card, messageId: string): Progress | undefined {
    const said = this.#cards.get(messageId)?.said
    this.#cards.delete(messageId)
    if (isBegun(card.status) && this.#cards.size < maxCards) this.#cards.set(messageId, { card })
    return said
  }

  /** Whether it is kept for a card. */
  take(event: Progress): boolean {
    const waiting = [...this.#cards.values()].filter(({ card }) => isAbout(event, card))
    for (const card of waiting) card.said = event
    return waiting.length > 0
  }
}

/** Whether its call runs next. */
export function isBegun({ kind }: CardStatus): boolean {
  return kind === 'approved' || kind === 'granted'
}
