import type { Card, CardFile } from './approval.ts'

/** APPR-10, APPR-20: the approvals of one step on one card, independent of the platform; each adapter renders it. */
export interface BatchCard {
  readonly batchId: string
  /** At least one card, ordered by number, in its current state. If `file` is set, each card is shown as one line. */
  readonly cards: readonly Card[]
  /** Full text of all cards, if they do not fit into a message. */
  readonly file?: CardFile
}

/**
 * Button actions of a batch card. `approve_all` and `deny_all` apply to every pending approval; `review` opens a card
 * for each.
 */
export const batchActions = ['approve_all', 'review', 'deny_all'] as const
export type BatchAction = (typeof batchActions)[number]

/** Returns the cards whose approval is pending. */
export function pendingCards({ cards }: BatchCard): readonly Card[] {
  return cards.filter(({ status }) => status.kind === 'waiting')
}
