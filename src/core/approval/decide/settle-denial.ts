import { getCall } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { getTurn, makeTurnDue } from '../../../db/turn/turns.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { refuseCall } from '../../call/refuse-call.ts'
import { deciderOf } from '../../card/card-decider.ts'
import { updateCard } from '../../card/cards.ts'
import type { CoreContext } from '../../context.ts'
import type { Effects } from '../../transaction.ts'

/** A card has room for so much of a reason; its person wrote it, and the model is told the whole. */
const shownOfReason = 500

/** What the model is told when a person said no (ERR-07), and what its card says. Call under the session's lock. */
export async function settleDenial(
  ctx: CoreContext,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
): Promise<void> {
  const call = await getCall(db, approval.call_id)
  const turn = await getTurn(db, approval.turn_id)
  const reason = approval.reason ?? ''
  const because = reason === '' ? '' : `: ${reason}`
  await refuseCall(ctx, db, after, call, turn.caller_id, {
    state: 'denied',
    error: { category: 'policy_blocked', message: `rejected by user${because}` },
  })
  await updateCard(db, after, approval, {
    kind: 'denied',
    ...(await deciderOf(db, approval)),
    ...(reason === '' ? {} : { reason: shorten(reason, shownOfReason) }),
  })
  const due = await makeTurnDue(db, turn.id)
  if (due !== undefined) after.wakeTurn(due)
}
