import { endApproval, findApproval } from '../../db/approval/approvals.ts'
import { findCardConversations, findUnshown } from '../../db/approval/card-copies.ts'
import {
  endReasonWait,
  extendApproval,
  findEscalationDue,
  findEscalationsDue,
  findExpired,
  findExplainingOfTurn,
  findUnexplained,
  takeReminders,
} from '../../db/approval/due-approvals.ts'
import { getCall } from '../../db/call/tool-calls.ts'
import { nameOf } from '../../db/people/callers.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { getTurn, makeTurnDue } from '../../db/turn/turns.ts'
import { refuseCall } from '../call/refuse-call.ts'
import { editCard, nameApproval, postApproval, updateCard } from '../card/cards.ts'
import { askNextApprover } from '../card/route-card.ts'
import type { CoreContext } from '../context.ts'
import { attempt, notice, type Transaction, transact } from '../transaction.ts'
import { emitApprovalDecided, settleDenial } from './decide/settle-decision.ts'

/** Maximum age of an undelivered card, in milliseconds; its platform may not be served at the moment. */
const waitMs = 60_000

/** APPR-18: posts a card that reached none of its recipients in the conversation of the request, with a notice. */
export async function repostUndeliveredCards(ctx: CoreContext): Promise<void> {
  for (const unshown of await findUnshown(ctx.db, waitMs)) {
    await attempt(ctx, 'repost a card', () => bringBack(ctx, unshown))
  }
}

function bringBack(ctx: CoreContext, { id, session_id }: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    await lockSession(tx.db, session_id)
    const approval = await findApproval(tx.db, id)
    if (approval?.state !== 'pending') return
    if ((await findCardConversations(tx.db, id)).includes(approval.conversation_id)) return
    await postApproval(tx, approval)
    const text = ctx.messages.approvals.notDelivered(await nameApproval(tx, approval))
    await notice(tx, approval.conversation_id, text, approval.caller_id)
  })
}

/** Reminds once of approvals pending for `remind_after`. */
export async function remindOfApprovals(ctx: CoreContext): Promise<void> {
  await transact(ctx, async (tx) => {
    for (const due of await takeReminders(tx.db)) {
      const approval = await findApproval(tx.db, due.id)
      if (approval?.state === 'pending') await remind(tx, approval)
    }
  })
}

/** Posts a reminder with the deadline and how to show the card, where the call was requested and where its card is. */
async function remind(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const { id, expires_at, conversation_id, caller_id } = approval
  const { messages } = tx.ctx
  const { name, isOne, isMentioned } = await nameApproval(tx, approval)
  if (!isMentioned) return
  const until = messages.clock.day(expires_at, new Date())
  const text = messages.approvals.reminder({ name, isOne, until })
  await notice(tx, conversation_id, text, caller_id)
  const requester = await nameOf(tx.db, caller_id)
  const elsewhere = messages.approvals.reminderFor({ name, isOne, until, requester })
  for (const place of await findCardConversations(tx.db, id)) {
    if (place !== conversation_id) await notice(tx, place, elsewhere)
  }
}

/**
 * APPR-08: denies approvals that expired unanswered, or, if the operator configured `wait`, extends them (APPR-19). Not called
 * where expiry stops the turn.
 */
export async function expireApprovals(ctx: CoreContext): Promise<void> {
  const end = ctx.settings.onExpiry === 'wait' ? askOn : deny
  for (const approval of await findExpired(ctx.db)) {
    await attempt(ctx, 'expire an approval', () =>
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
  emitApprovalDecided(tx.effects, ended)
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

/** Extends the approval by its original time, updates its card and reminds once. */
async function askOn(tx: Transaction, expired: ApprovalRow): Promise<void> {
  const waiting = await extendApproval(tx.db, expired.id, tx.ctx.settings.approvalTtlMs)
  if (waiting === undefined) return
  await editCard(tx, waiting, { expiresAt: waiting.expires_at.toISOString() })
  await remind(tx, waiting)
}

/** APPR-19: asks the next person about approvals unanswered for `escalate_after`, once for each step. */
export async function escalateApprovals(ctx: CoreContext): Promise<void> {
  for (const { id, session_id } of await findEscalationsDue(ctx.db)) {
    await attempt(ctx, 'escalate approvals', () =>
      transact(ctx, async (tx) => {
        await lockSession(tx.db, session_id)
        const due = await findEscalationDue(tx.db, id)
        if (due !== undefined) await askNextApprover(tx, due)
      }),
    )
  }
}

/** TG-03: settles denials whose reason did not arrive in time, without one. */
export async function settleUnexplainedDenials(ctx: CoreContext): Promise<void> {
  for (const approval of await findUnexplained(ctx.db)) {
    await attempt(ctx, 'settle a denial', () => end(ctx, approval))
  }
}

function end(ctx: CoreContext, known: ApprovalRow): Promise<void> {
  return transact(ctx, async (tx) => {
    await lockSession(tx.db, known.session_id)
    const ended = await endReasonWait(tx.db, known.id)
    if (ended !== undefined) await settleDenial(tx, ended)
  })
}

/** Settles the denials of an ended turn that still wait for a reason. Call under the session's lock. */
export async function settleDenialsOfTurn(tx: Transaction, turnId: string): Promise<void> {
  for (const approval of await findExplainingOfTurn(tx.db, turnId)) {
    const ended = await endReasonWait(tx.db, approval.id)
    if (ended !== undefined) await settleDenial(tx, ended)
  }
}
