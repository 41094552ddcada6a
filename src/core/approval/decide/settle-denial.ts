import { getCall } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { getTurn, makeTurnDue } from '../../../db/turn/turns.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { refuseCall } from '../../call/refuse-call.ts'
import { deciderOf } from '../../card/card-decider.ts'
import { updateCard } from '../../card/cards.ts'
import type { Transaction } from '../../transaction.ts'

/** A card has room for so much of a reason; its person wrote it, and the model is told the whole. */
const shownOfReason = 500

/** What the model is told when a person said no (ERR-07), and what its card says. Call under the session's lock. */
export async function settleDenial(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const call = await getCall(tx.db, approval.call_id)
  const turn = await getTurn(tx.db, approval.turn_id)
  const reason = approval.reason ?? ''
  const because = reason === '' ? '' : `: ${reason}`
  await refuseCall(tx, call, turn.caller_id, {
    state: 'denied',
    error: { category: 'policy_blocked', message: `rejected by user${because}` },
  })
  await updateCard(tx, approval, {
    kind: 'denied',
    ...(await deciderOf(tx.db, approval)),
    ...(reason === '' ? {} : { reason: shorten(reason, shownOfReason) }),
  })
  const due = await makeTurnDue(tx.db, turn.id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}
