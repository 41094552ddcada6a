import type { CardAction } from './approval.ts'
import type { BatchAction } from './batch-card.ts'

/** What a button does: one of a card, or of one for several questions, or one that takes a grant back or ends a turn. */
export type ButtonAction = CardAction | BatchAction | 'revoke' | 'stop'
