import { findExplainingHere } from '../../db/approval/reason-waits.ts'
import { explain } from '../approval/decide/explain.ts'
import { longestReason } from '../approval/decide/give-reason.ts'
import type { CommandTransaction } from './commands/command.ts'

/**
 * TG-03, DECISION-17: what somebody writes in the conversation in which calls were asked for that they have just denied is the reason of
 * those denials, and their turns go on at once. Elsewhere only a reply to the card is. False: nothing here waits for a reason of theirs, or the text cannot be one, and is still to be taken as a message. That is so
 * for a text longer than a reason may be, and for undefined, a message with files; both end the wait all the same.
 */
export async function explainOpen(
  tx: CommandTransaction,
  text: string | undefined,
): Promise<boolean> {
  const { db, conversation, caller } = tx
  if (!tx.awaitsReason) return false
  const reason = text !== undefined && text.length <= longestReason ? text : undefined
  let isExplained = false
  for (const denied of await findExplainingHere(db, conversation.id, caller.id)) {
    const { kind } = await explain(tx, denied, caller, reason)
    if (kind === 'applied') isExplained = true
  }
  return isExplained && reason !== undefined
}
