import type { Card, Decision } from '../../../domain/approval.ts'
import { type BatchAction, type BatchCard, pendingCards } from '../../../domain/batch-card.ts'
import { batchName } from './batch-text.ts'

/** A card must have been on the screen for so long before a letter can answer it. */
const settleMs = 500

/** What a line is: an answer to a card, an attempt at one, or words for the agent. */
export type KeyAnswer =
  | { readonly kind: 'decision'; readonly card: Card; readonly decision: Decision }
  | { readonly kind: 'batch'; readonly batch: BatchCard; readonly action: BatchAction }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'message' }

/** What a lone letter would answer. */
export type Asked =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'batch'; readonly batch: BatchCard }

interface Open {
  readonly asked: Asked
  readonly shownAt: number
}

/** Which cards wait, and which of them a lone letter would answer. */
export class CardKeys {
  readonly #open = new Map<string, Open>()
  readonly #answered = new Set<string>()
  readonly #shownAlone = new Set<string>()

  /** A card changed that may have been printed: one that was not is not answered by letters. */
  update(card: Card, now: number): void {
    if (this.#shownAlone.has(card.approvalId)) this.show(card, now)
  }

  /** The same of a card for several questions. */
  updateBatch(batch: BatchCard, now: number): void {
    if (this.#open.has(batch.batchId)) this.showBatch(batch, now)
  }

  /** A card was printed. */
  show(card: Card, now: number): void {
    const { approvalId, status } = card
    this.#shownAlone.add(approvalId)
    for (const [id, { asked }] of this.#open) {
      if (asked.kind === 'batch' && this.#isReviewed(asked.batch)) this.#open.delete(id)
    }
    this.#take(approvalId, { kind: 'card', card }, status.kind === 'waiting', now)
  }

  /** The same of a card for several questions; once one of them is shown by itself, letters answer each by itself. */
  showBatch(batch: BatchCard, now: number): void {
    const isOpen = pendingCards(batch).length > 0 && !this.#isReviewed(batch)
    this.#take(batch.batchId, { kind: 'batch', batch }, isOpen, now)
  }

  /** The oldest card that nobody here has answered. */
  current(): Asked | undefined {
    return this.#waiting()[0]?.asked
  }

  count(): number {
    return this.#waiting().length
  }

  /**
   * APPR-09: what a whole line means for the card. Only a single letter answers, and only if the card was there well
   * before the line was begun: what was written for somebody else never does.
   */
  read(line: string, begunAt: number): KeyAnswer {
    const [first] = this.#waiting()
    if (first === undefined) return { kind: 'message' }
    const { asked, shownAt } = first
    const letter = line.trim()
    const meant =
      asked.kind === 'card' ? readCard(asked.card, letter) : readBatch(asked.batch, letter)
    if (meant.kind === 'message' || begunAt >= shownAt + settleMs) return meant
    return { kind: 'unclear', why: `${nameOf(asked)} came while you wrote. Answer again.` }
  }

  /** Takes the card out of reach until it changes, or `reopen` says that the answer did not count. */
  close(id: string): void {
    this.#answered.add(id)
  }

  reopen(id: string): void {
    this.#answered.delete(id)
  }

  #take(id: string, asked: Asked, isOpen: boolean, now: number): void {
    this.#answered.delete(id)
    if (!isOpen) this.#open.delete(id)
    else this.#open.set(id, { asked, shownAt: this.#open.get(id)?.shownAt ?? now })
  }

  #isReviewed({ cards }: BatchCard): boolean {
    return cards.some(({ approvalId }) => this.#shownAlone.has(approvalId))
  }

  #waiting(): Open[] {
    return [...this.#open].filter(([id]) => !this.#answered.has(id)).map(([, open]) => open)
  }
}

const letters: Readonly<Record<string, Decision>> = {
  y: { kind: 'approve' },
  a: { kind: 'always' },
  t: { kind: 'always', life: 'turn' },
  m: { kind: 'always', life: '15m' },
  h: { kind: 'always', life: '1h' },
  x: { kind: 'always', life: '5x' },
  n: { kind: 'deny' },
}

const batchLetters: Readonly<Record<string, BatchAction>> = {
  y: 'approve_all',
  r: 'review',
  n: 'deny_all',
}

function readCard(card: Card, letter: string): KeyAnswer {
  const decision = letters[letter]
  if (decision === undefined) return { kind: 'message' }
  if (decision.kind === 'always' && card.alwaysPatterns.length === 0) {
    return { kind: 'unclear', why: `Always is not offered for question ${card.number}.` }
  }
  return { kind: 'decision', card, decision }
}

function readBatch(batch: BatchCard, letter: string): KeyAnswer {
  const action = batchLetters[letter]
  if (action !== undefined) return { kind: 'batch', batch, action }
  if (!(letter in letters)) return { kind: 'message' }
  return { kind: 'unclear', why: 'Always is offered on single cards; r shows them.' }
}

function nameOf(asked: Asked): string {
  return asked.kind === 'card'
    ? `Question ${asked.card.number}`
    : `A card for ${batchName(asked.batch)}`
}
