import { findApproval } from '../../../db/approval/approvals.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import type { CardAction, Decision } from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import { decideLocked } from '../../approval/decide/decide.ts'
import { awaitEdit, editCall } from '../../approval/decide/edit-call.ts'
import { explain } from '../../approval/decide/give-reason.ts'
import { type Decided, mayAnswer, noSuchApproval } from '../../approval/decide/may-answer.ts'
import { adoptCopy } from '../../delivery/adopt-copy.ts'
import type { Transaction } from '../../transaction.ts'
import type { InboundBody } from '../inbound.ts'
import type { InboxContext } from '../inbox-context.ts'

const decisions: Readonly<Record<Exclude<CardAction, 'just_deny' | 'edit'>, Decision>> = {
  approve: { kind: 'approve' },
  always: { kind: 'always' },
  turn: { kind: 'always', life: 'turn' },
  '15m': { kind: 'always', life: '15m' },
  '1h': { kind: 'always', life: '1h' },
  '5x': { kind: 'always', life: '5x' },
  deny: { kind: 'deny', mayExplain: true },
}

interface Tap {
  readonly conversationId: string
  readonly action: CardAction
  readonly written: string | undefined
}

/** Handles a button of a card. Only the person who tapped sees the reply (CHAT-02). */
export async function tapCard(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  { approvalId, action, messageId, isThere, written }: Extract<InboundBody, { kind: 'tap' }>,
): Promise<TapAnswer> {
  const approval = await findApproval(tx.db, approvalId)
  if (approval === undefined) return { text: noSuchApproval.text, alert: true }
  await lockSession(tx.db, approval.session_id)
  // THREAT-8: a card whose sending was not recorded becomes a copy once a person who may answer taps there.
  if (isThere !== false && (await mayAnswer(tx.db, approval, caller))) {
    // Only a card that shows everything has more than deny buttons (APPR-16).
    const isCut = action === 'deny' || action === 'just_deny'
    await adoptCopy(tx, approval, messageId, { conversationId, isCut })
  }
  const tap = { conversationId, action, written }
  const decided = await act(tx, caller, approval, tap)
  return { text: decided.text, alert: decided.kind !== 'applied' }
}

function act(
  tx: Transaction<InboxContext>,
  caller: Caller,
  approval: ApprovalRow,
  { conversationId, action, written }: Tap,
): Promise<Decided> {
  if (action === 'just_deny') return explain(tx, approval, caller, undefined)
  if (action === 'edit') {
    if (written === undefined) return awaitEdit(tx.ctx, tx.db, approval, caller)
    return editCall(tx, approval, caller, written)
  }
  const decision = decisionOf(action, written)
  return decideLocked(tx, approval, { by: caller, decision, at: conversationId })
}

/** Returns the decision of a button; a form has already asked for the reason. */
function decisionOf(action: keyof typeof decisions, written: string | undefined): Decision {
  if (action !== 'deny' || written === undefined) return decisions[action]
  const reason = written.trim()
  return { kind: 'deny', ...(reason !== '' && { reason }) }
}
