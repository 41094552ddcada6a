import { findApprovalBatch, findMembers } from '../../../db/approval/approval-batches.ts'
import { findApproval } from '../../../db/approval/approvals.ts'
import { findCardCopy, type MessageRef } from '../../../db/approval/card-copies.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { type BatchAnswer, type BatchCard, groupsOf } from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import { decideAll, reviewBatch } from '../../approval/decide/decide-all.ts'
import { type Decided, mayAnswer } from '../../approval/decide/settle-decision.ts'
import { readBatch, refreshBatch, showOnCopy } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import { adoptBatchCopy } from '../../delivery/adopt-copy.ts'
import { notice, type Transaction } from '../../transaction.ts'
import type { InboundBody, InboxContext } from '../inbound.ts'
import { tooEarly } from './form-of.ts'

/** APPR-20: handles a button of a batch card, or the equivalent key; without a message id the reply goes to the conversation. */
export async function tapBatch(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  { batchId, action, messageId, isThere, isEarly }: Extract<InboundBody, { kind: 'batch' }>,
): Promise<TapAnswer> {
  const batch = await findApprovalBatch(tx.db, batchId)
  if (batch === undefined) return { text: tx.ctx.messages.approvals.noneOfBatch, alert: true }
  await lockSession(tx.db, batch.session_id)
  const members = await findMembers(tx.db, batchId)
  // THREAT-8: as with single cards. Only a batch card that shows everything has the button to approve all.
  if (
    messageId !== undefined &&
    isThere !== false &&
    (await mayAnswerAny(tx.db, members, caller))
  ) {
    const how = { conversationId, isCut: action !== 'approve_all' }
    await adoptBatchCopy(tx, batchId, messageId, how)
  }
  if (isEarly === true && members.some(({ state }) => state === 'pending')) return tooEarly(tx.ctx)
  if (action === 'details' || action === 'back') {
    if (!(await mayAnswerAny(tx.db, members, caller)))
      return { text: tx.ctx.messages.inbox.mayNotAnswer, alert: true }
    await showDetails(tx, batchId, { conversationId, messageId: messageId ?? '' }, action)
    return { text: '', alert: false }
  }
  const waiting = members.filter(({ state }) => state === 'pending')
  const decided = await act(tx, waiting, { caller, action, at: conversationId })
  const alert = decided.kind !== 'applied'
  if (messageId === undefined && alert) {
    await notice(tx, conversationId, decided.text)
    // Makes the letter keys answer it again.
    refreshBatch(tx, batchId)
  }
  return { text: decided.text, alert }
}

/** CARD-04: answers the pending calls of one group, each under its own rule. */
export async function tapGroup(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  { approvalId, action, messageId, isThere, isEarly }: Extract<InboundBody, { kind: 'group' }>,
): Promise<TapAnswer> {
  const { approvals } = tx.ctx.messages
  const batchId = (await findApproval(tx.db, approvalId))?.batch_id
  const batch = batchId == null ? undefined : await findApprovalBatch(tx.db, batchId)
  if (batch === undefined) return { text: approvals.noneOfBatch, alert: true }
  await lockSession(tx.db, batch.session_id)
  const members = await findMembers(tx.db, batch.id)
  if (isThere !== false && (await mayAnswerAny(tx.db, members, caller))) {
    const how = { conversationId, isCut: action !== 'approve_group' }
    await adoptBatchCopy(tx, batch.id, messageId, how)
  }
  const groups = groupsOf(members.map(readCard))
  const group = groups.find(({ cards }) => cards.some((card) => card.approvalId === approvalId))
  const ids = new Set(group?.cards.map((card) => card.approvalId))
  const waiting = members.filter(({ id, state }) => state === 'pending' && ids.has(id))
  if (waiting.length === 0) return { text: approvals.allAnswered, alert: true }
  if (isEarly === true) return tooEarly(tx.ctx)
  const decision = { kind: action === 'approve_group' ? 'approve' : 'deny' } as const
  const decided = await decideAll(tx, waiting, { by: caller, decision, at: conversationId })
  return { text: decided.text, alert: decided.kind !== 'applied' }
}

async function mayAnswerAny(
  db: Db,
  members: readonly ApprovalRow[],
  caller: Caller,
): Promise<boolean> {
  for (const member of members) if (await mayAnswer(db, member, caller)) return true
  return false
}

/** CARD-02: shows or hides the details on the tapped copy, as on a single card. */
async function showDetails(
  tx: Transaction<InboxContext>,
  batchId: string,
  shown: MessageRef,
  view: 'details' | 'back',
): Promise<void> {
  const found = await readBatch(tx.db, batchId)
  const [first] = found?.members ?? []
  const copy = first && (await findCardCopy(tx.db, first.id, shown, 'batch'))
  if (found === undefined || copy === undefined) return
  const batch: BatchCard = view === 'details' ? { ...found.card, open: 'details' } : found.card
  await showOnCopy(tx, copy, { kind: 'batch_update', batch })
}

interface BatchTap {
  readonly caller: Caller
  readonly action: BatchAnswer
  /** Conversation of the tap. */
  readonly at: string
}

async function act(
  tx: Transaction<InboxContext>,
  waiting: readonly ApprovalRow[],
  { caller, action, at }: BatchTap,
): Promise<Decided> {
  if (waiting.length === 0) return { kind: 'late', text: tx.ctx.messages.approvals.allAnswered }
  if (action === 'review') return reviewBatch(tx, waiting, caller, at)
  const decision = { kind: action === 'approve_all' ? 'approve' : 'deny' } as const
  return decideAll(tx, waiting, { by: caller, decision, at })
}
