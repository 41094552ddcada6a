import { findApproval } from '../../../db/approval/approvals.ts'
import { findCardCopy } from '../../../db/approval/card-copies.ts'
import { dropPendingEdits } from '../../../db/outbox/outbox.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import type { Card, CardAction, Decision } from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import { decideLocked } from '../../approval/decide/decide.ts'
import { awaitEdit, editCall } from '../../approval/decide/edit-call.ts'
import { explain } from '../../approval/decide/give-reason.ts'
import {
  type Decided,
  describeState,
  mayAnswer,
  noSuchApproval,
  refuseUnauthorised,
} from '../../approval/decide/may-answer.ts'
import { readCard } from '../../card/read-card.ts'
import { adoptCopy } from '../../delivery/adopt-copy.ts'
import { post } from '../../outbox/post.ts'
import type { Transaction } from '../../transaction.ts'
import type { InboundBody } from '../inbound.ts'
import type { InboxContext } from '../inbox-context.ts'

const decisions: Readonly<
  Record<Exclude<CardAction, 'just_deny' | 'edit' | 'more' | 'back'>, Decision>
> = {
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
  readonly action: Exclude<CardAction, 'more' | 'back'>
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
    const isCut = action === 'deny' || action === 'just_deny' || action === 'back'
    await adoptCopy(tx, approval, messageId, { conversationId, isCut })
  }
  if (action === 'more' || action === 'back')
    return openCopy(tx, approval, caller, { messageId, isOpen: action === 'more' })
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

/**
 * CARD-03: shows the details and the choices of *Always* on the tapped copy, or closes them. Nothing is stored with the
 * approval, so that any change of the card closes them, and other copies stay as they are.
 */
async function openCopy(
  tx: Transaction<InboxContext>,
  approval: ApprovalRow,
  caller: Caller,
  { messageId, isOpen }: { readonly messageId: string; readonly isOpen: boolean },
): Promise<TapAnswer> {
  const refusal = await refuseUnauthorised(tx.ctx, tx.db, approval, caller)
  if (refusal !== undefined) return { text: refusal.text, alert: true }
  if (approval.state !== 'pending')
    return { text: await describeState(tx.db, approval), alert: true }
  const copy = await findCardCopy(tx.db, approval.id, messageId)
  if (copy === undefined) return { text: noSuchApproval.text, alert: true }
  const card: Card = { ...readCard(approval), ...(isOpen && { isOpen }) }
  await dropPendingEdits(tx.db, copy.outboxId)
  await post(tx, copy.conversationId, { kind: 'card_update', card }, { editOf: copy.outboxId })
  return { text: '', alert: false }
}

/** Returns the decision of a button; a form has already asked for the reason. */
function decisionOf(action: keyof typeof decisions, written: string | undefined): Decision {
  if (action !== 'deny' || written === undefined) return decisions[action]
  const reason = written.trim()
  return { kind: 'deny', ...(reason !== '' && { reason }) }
}
