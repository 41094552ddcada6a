import { areButtonsNew } from '../../../db/approval/callback-tokens.ts'
import type { Db } from '../../../db/schema.ts'
import type { ButtonAction } from '../../../domain/approval.ts'
import { grantEnds } from '../../../domain/grant-life.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import type { CoreContext } from '../../context.ts'
import type { Button } from './form-of.ts'

/** Time in milliseconds after a change of a card's buttons within which none of them grants. */
const settleMs = 1_500

const granting: ReadonlySet<ButtonAction> = new Set([
  'approve',
  'always',
  ...grantEnds,
  'approve_all',
  'approve_group',
] as const)

export function tooEarly({ messages }: Pick<CoreContext, 'messages'>): TapAnswer {
  return { text: messages.inbox.buttonsChanged, alert: true }
}

/**
 * CARD-03: whether a tap would grant by a button that an edit has put where another one was so lately that the tap may have been
 * meant for that one: the second of a double tap, or one that crosses with another person's.
 */
export async function isEarly(db: Db, button: Button, messageId: string): Promise<boolean> {
  return granting.has(button.action) && (await areButtonsNew(db, button, messageId, settleMs))
}
