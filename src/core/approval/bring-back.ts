import { findApproval } from '../../db/approval/approvals.ts'
import { findCardConversations, findUnshown } from '../../db/approval/card-copies.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { nameQuestion } from '../card/batches.ts'
import { postQuestion } from '../card/cards.ts'
import type { CoreContext } from '../context.ts'
import { notice } from '../outbox/post.ts'
import { attempt } from '../retry.ts'
import { transact } from '../transaction.ts'

/** How long a card may be on its way to those it was sent to, in milliseconds: nobody may serve their platform just now. */
const waitMs = 60_000

/** APPR-18: a card that reaches nobody it was sent to is shown where it was asked, which says so. */
export async function bringBackCards(ctx: CoreContext): Promise<void> {
  for (const unshown of await findUnshown(ctx.db, waitMs)) {
    await attempt(ctx, 'bring a card back', () => bringBack(ctx, unshown))
  }
}

function bringBack(ctx: CoreContext, { id, session_id }: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    await lockSession(tx.db, session_id)
    const approval = await findApproval(tx.db, id)
    if (approval?.state !== 'pending') return
    if ((await findCardConversations(tx.db, id)).includes(approval.conversation_id)) return
    await postQuestion(tx, approval)
    const { name, isOne } = await nameQuestion(tx.db, approval)
    const reached = isOne ? 'has reached nobody that it was' : 'have reached nobody that they were'
    const text = `${name} ${reached} sent to: ${isOne ? 'its' : 'their'} card is here as well.`
    await notice(tx, approval.conversation_id, text, approval.caller_id)
  })
}
