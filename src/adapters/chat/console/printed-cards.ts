import type { Card } from '../../../domain/approval.ts'
import type { CardStyle } from './card-rows.ts'
import { cardUpdateText } from './card-text.ts'

/** The last printed status of each card: a card and its copies change together, and each change is printed once. */
export class PrintedCards {
  readonly #printed = new Map<string, string>()

  /** New status lines of these cards; '' if nothing changed. */
  changes(cards: readonly Card[], style: CardStyle): string {
    return cards
      .filter((card) => !isNoteOnly(card))
      .map((card) => ({ id: card.approvalId, line: cardUpdateText(card, style) }))
      .filter(({ id, line }) => this.#isNew(id, line))
      .map(({ line }) => line)
      .join('\n')
  }

  #isNew(id: string, line: string): boolean {
    if (this.#printed.get(id) === line) return false
    this.#printed.set(id, line)
    return true
  }
}

/** Whether the update is only a note on a pending card, which a notice of its own reports. Votes are reported by the card. */
export function isNoteOnly({ status, votes }: Card): boolean {
  return status.kind === 'waiting' && votes === undefined
}
