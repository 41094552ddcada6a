import type { CardAction } from './approval.ts'
import type { BatchAction } from './batch-card.ts'

/** Rating of an answer by a person. */
export const feedbackVerdicts = ['good', 'bad'] as const
export type FeedbackVerdict = (typeof feedbackVerdicts)[number]

/** Action of a button: on a card, on a batch card, revoking a grant, stopping a turn, or rating an answer. */
export type ButtonAction = CardAction | BatchAction | 'revoke' | 'stop' | FeedbackVerdict
