import type { CardAction } from './approval.ts'
import type { BatchAction } from './batch-card.ts'

/** What a person says that an answer was worth. */
export const feedbackVerdicts = ['good', 'bad'] as const
export type FeedbackVerdict = (typeof feedbackVerdicts)[number]

/** What a button does: one of a card, or of one for several questions, or one that takes a grant back, ends a turn or says what it was worth. */
export type ButtonAction = CardAction | BatchAction | 'revoke' | 'stop' | FeedbackVerdict
