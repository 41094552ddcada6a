import type { Card, Decision } from '../../../domain/approval.ts'

/** A card must have been on the screen for so long before a letter can answer it. */
const settleMs = 500

/** What a line is: an answer to a card, an attempt at one, or words for the agent. */
export type KeyAnswer =
  | { readonly kind: 'decision'; readonly card: Card; readonly decision: Decision['kind'] }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'message' }

/** Which cards wait, and which of them a lone letter would answer. */
export class CardKeys {
  readonly #open = new Map<string, { readonly card: Card; readonly shownAt: number }>()
  readonly #answered = new Set<string>()

  /** A card was printed, or changed. */
  show(card: Card, now: number): void {
    const { approvalId } = card
    this.#answered.delete(approvalId)
    if (card.status.kind !== 'waiting') this.#open.delete(approvalId)
    else if (!this.#open.has(approvalId)) this.#open.set(approvalId, { card, shownAt: now })
  }

  /** The oldest card that nobody here has answered. */
  current(): Card | undefined {
    return this.#waiting()[0]?.card
  }

  count(): number {
    return this.#waiting().length
  }

  /**
   * APPR-09: what a whole line means for the card. Only a single letter answers, and only if the card was there well
   * before the line was begun: what was written for somebody else never does.
   */
  read(line: string, begunAt: number): KeyAnswer {
    const kind = letters[line.trim()]
    const [first] = this.#waiting()
    if (kind === undefined || first === undefined) return { kind: 'message' }
    const { card, shownAt } = first
    if (begunAt < shownAt + settleMs) {
      return { kind: 'unclear', why: `Question ${card.number} came while you wrote. Answer again.` }
    }
    if (kind === 'always' && card.alwaysPatterns.length === 0) {
      return { kind: 'unclear', why: `Always is not offered for question ${card.number}.` }
    }
    return { kind: 'decision', card, decision: kind }
  }

  /** Takes the card out of reach until it changes, or `reopen` says that the answer did not count. */
  close(approvalId: string): void {
    this.#answered.add(approvalId)
  }

  reopen(approvalId: string): void {
    this.#answered.delete(approvalId)
  }

  #waiting() {
    return [...this.#open.values()].filter(({ card }) => !this.#answered.has(card.approvalId))
  }
}

const letters: Readonly<Record<string, Decision['kind']>> = { y: 'approve', a: 'always', n: 'deny' }
