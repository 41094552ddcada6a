import type { Card } from '../../../domain/approval.ts'
import type { CardStyle } from './card-rows.ts'
import { cardUpdateText } from './card-text.ts'

/** What was printed of cards last: a card and its copies change together, and each change is told once. */
export class ToldCards {
  readonly #told = new Map<string, string>()

  /** What is new of these cards, a line each; empty: nothing is. */
  news(cards: readonly Card[], style: CardStyle): string {
    return cards
      .filter((card) => !isOnlyNoted(card))
      .map((card) => ({ id: card.approvalId, line: cardUpdateText(card, style) }))
      .filter(({ id, line }) => this.#isNew(id, line))
      .map(({ line }) => line)
      .join('\n')
  }

  #isNew(id: string, line: string): boolean {
    if (this.#told.get(id) === line) return false
    this.#told.set(id, line)
    return true
  }
}

/** It waits as before, with a note on it that is told in words of its own; who approved is told by the card. */
export function isOnlyNoted({ status, votes }: Card): boolean {
  return status.kind === 'waiting' && votes === undefined
}
