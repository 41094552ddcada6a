import { endApproval } from '../../db/approval/approvals.ts'
import { extendApproval, findExpired } from '../../db/approval/due-approvals.ts'
import { getCall } from '../../db/call/tool-calls.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { getTurn, makeTurnDue } from '../../db/turn/turns.ts'
import { refuseCall } from '../call/refuse-call.ts'
import { editCard, updateCard } from '../card/cards.ts'
import type { CoreContext } from '../context.ts'
import { attempt } from '../retry.ts'
import type { Transaction } from '../transaction.ts'
import { transact } from '../transaction.ts'
import { tellDecided } from './decide/tell-decided.ts'
import { remind } from './remind.ts'

/**
 * APPR-08: what nobody answered in time ends as a denial that says so; APPR-19: or goes on waiting, where the operator
 * wants that. Where it shall stop the turn, this is not called.
 */
export async function expireApprovals(ctx: CoreContext): Promise<void> {
  const end = ctx.settings.onExpiry === 'wait' ? askOn : deny
  for (const approval of await findExpired(ctx.db)) {
    await attempt(ctx, 'expire a question', () =>
      transact(ctx, async (tx) => {
        await lockSession(tx.db, approval.session_id)
        await end(tx, approval)
      }),
    )
  }
}

async function deny(tx: Transaction, expired: ApprovalRow): Promise<void> {
  const ended = await endApproval(tx.db, expired.id, { state: 'expired' })
  if (ended === undefined) return
  tellDecided(tx.effects, ended)
  const call = await getCall(tx.db, ended.call_id)
  const turn = await getTurn(tx.db, ended.turn_id)
  const message = 'nobody approved it in time; the question expired'
  await refuseCall(tx, call, turn.caller_id, {
    state: 'denied',
    error: { category: 'policy_blocked', message },
  })
  const at = (ended.decided_at ?? new Date()).toISOString()
  await updateCard(tx, ended, { kind: 'expired', at })
  const due = await makeTurnDue(tx.db, turn.id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

/** The question stays for as long again: its card names the new time, and a reminder says so, once each time. */
async function askOn(tx: Transaction, expired: ApprovalRow): Promise<void> {
  const waiting = await extendApproval(tx.db, expired.id, tx.ctx.settings.approvalTtlMs)
  if (waiting === undefined) return
  await editCard(tx, waiting, { expiresAt: waiting.expires_at.toISOString() })
  await remind(tx, waiting)
}
