import {
  type BatchAnswer,
  type BatchCard,
  type Card,
  type Decision,
  pendingCards,
} from '../../../domain/approval.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { approvalName } from '../render/card-words.ts'
import { isNamed } from './card-text.ts'
import { batchName } from './present.ts'

/** Time for which a card must have been visible before a letter can answer it, in milliseconds. */
const settleMs = 500

/** Meaning of a line: a decision, an unclear attempt at one, or a message to the agent. */
export type KeyAnswer =
  | { readonly kind: 'decision'; readonly card: Card; readonly decision: Decision }
  | { readonly kind: 'batch'; readonly batch: BatchCard; readonly action: BatchAnswer }
  /** The person asks for the details, or for the choices of *Always*. */
  | { readonly kind: 'details'; readonly card: Card }
  | { readonly kind: 'choice'; readonly card: Card }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'message' }

/** The card that a single letter would answer. */
export type AnswerableCard =
  | { readonly kind: 'card'; readonly card: Card }
  | { readonly kind: 'batch'; readonly batch: BatchCard }

interface OpenCard {
  readonly asked: AnswerableCard
  readonly shownAt: number
}

/** The pending cards, and the one that a single letter would answer. */
export class CardKeys {
  readonly #messages: Messages
  readonly #open = new Map<string, OpenCard>()
  readonly #answered = new Set<string>()
  readonly #shownSingly = new Set<string>()
  readonly #chosen = new Set<string>()

  constructor(messages: Messages) {
    this.#messages = messages
  }

  /** Handles an update of a card; one that was not printed is not answered by letters. */
  update(card: Card, now: number): void {
    if (this.#shownSingly.has(card.approvalId)) this.show(card, now)
  }

  /** Handles an update of a card for several approvals. */
  updateBatch(batch: BatchCard, now: number): void {
    if (this.#open.has(batch.batchId)) this.showBatch(batch, now)
  }

  /** Records that a card was printed. */
  show(card: Card, now: number): void {
    const { approvalId, status } = card
    this.#shownSingly.add(approvalId)
    for (const [id, { asked }] of this.#open) {
      if (asked.kind === 'batch' && this.#isReviewed(asked.batch)) this.#open.delete(id)
    }
    this.#set(approvalId, { kind: 'card', card }, status.kind === 'waiting', now)
  }

  /**
   * Records that a card for several approvals was printed. Once one of them was printed individually, letters answer each
   * individually.
   */
  showBatch(batch: BatchCard, now: number): void {
    const isOpen = pendingCards(batch).length > 0 && !this.#isReviewed(batch)
    this.#set(batch.batchId, { kind: 'batch', batch }, isOpen, now)
  }

  /** The oldest card that was not answered here. */
  current(): AnswerableCard | undefined {
    return this.#waiting()[0]?.asked
  }

  count(): number {
    return this.#waiting().length
  }

  /**
   * Interprets a line (APPR-09). Only a single letter answers, and only if the card was visible for some time before the line
   * was started, so that text meant for something else never answers.
   */
  read(line: string, startedAt: number): KeyAnswer {
    const [first] = this.#waiting()
    if (first === undefined) return { kind: 'message' }
    const { asked, shownAt } = first
    const letter = line.trim()
    const answer = this.#interpret(asked, letter)
    if (answer.kind === 'message' || startedAt >= shownAt + settleMs) return answer
    return { kind: 'unclear', why: cameLate(this.#messages, asked) }
  }

  /** CARD-03: a letter of *Always* acts at once only if the person has seen all that it would allow. */
  #interpret(asked: AnswerableCard, letter: string): KeyAnswer {
    if (asked.kind === 'batch') return readBatch(this.#messages, asked.batch, letter)
    const { card } = asked
    const answer = readCard(this.#messages, card, letter)
    const isAlways = answer.kind === 'decision' && answer.decision.kind === 'always'
    if (!isAlways || isNamed(card) || this.#chosen.has(card.approvalId)) return answer
    return { kind: 'choice', card }
  }

  /** Records that the choices of *Always* were printed for a card. */
  showChoice({ approvalId }: Card): void {
    this.#chosen.add(approvalId)
  }

  /** Removes a card from those waiting until it changes, or until `reopen` is called because the answer did not count. */
  close(id: string): void {
    this.#answered.add(id)
  }

  reopen(id: string): void {
    this.#answered.delete(id)
  }

  #set(id: string, asked: AnswerableCard, isOpen: boolean, now: number): void {
    this.#answered.delete(id)
    if (!isOpen) this.#open.delete(id)
    else this.#open.set(id, { asked, shownAt: this.#open.get(id)?.shownAt ?? now })
  }

  #isReviewed({ cards }: BatchCard): boolean {
    return cards.some(({ approvalId }) => this.#shownSingly.has(approvalId))
  }

  #waiting(): OpenCard[] {
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

const batchLetters: Readonly<Record<string, BatchAnswer>> = {
  y: 'approve_all',
  r: 'review',
  n: 'deny_all',
}

function readCard({ terminal }: Messages, card: Card, letter: string): KeyAnswer {
  if (letter === '?') return { kind: 'details', card }
  const decision = letters[letter]
  if (decision === undefined) return { kind: 'message' }
  if (decision.kind === 'always' && card.alwaysPatterns.length === 0) {
    return { kind: 'unclear', why: terminal.alwaysNotOffered(card) }
  }
  return { kind: 'decision', card, decision }
}

function readBatch({ terminal }: Messages, batch: BatchCard, letter: string): KeyAnswer {
  const action = batchLetters[letter]
  if (action !== undefined) return { kind: 'batch', batch, action }
  if (!(letter in letters)) return { kind: 'message' }
  return { kind: 'unclear', why: terminal.alwaysOnSingleCards }
}

function cameLate(messages: Messages, asked: AnswerableCard): string {
  const { cardCame, batchCame } = messages.terminal
  if (asked.kind === 'card') return cardCame({ name: approvalName(messages, asked.card.number) })
  return batchCame({ name: batchName(messages, asked.batch) })
}
