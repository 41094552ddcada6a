import type { Card, CardFile } from './approval.ts'

/** APPR-10, APPR-20: the questions of one step on one card, platform-neutral; each adapter renders it. */
export interface BatchCard {
  readonly batchId: string
  /** In order of their numbers, one at least, each as it stands now. With a `file`, of what each asks there is one line. */
  readonly cards: readonly Card[]
  /** All that they ask, where a message has no room for it. */
  readonly file?: CardFile
}

/** What a button of such a card does, to each of its questions that still waits; `review` shows each on a card of its own. */
export const batchActions = ['approve_all', 'review', 'deny_all'] as const
export type BatchAction = (typeof batchActions)[number]

/** Those of its questions that nobody has answered. */
export function waitingOf({ cards }: BatchCard): readonly Card[] {
  return cards.filter(({ status }) => status.kind === 'waiting')
}
