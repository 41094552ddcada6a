import { findApproval } from '../../../db/approval/approvals.ts'
import { findCardCopy, type MessageRef } from '../../../db/approval/card-copies.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import {
  type Card,
  type CardAction,
  type CardView,
  cardViews,
  type Decision,
} from '../../../domain/approval.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import { patternText } from '../../approval/build-card.ts'
import { decideLocked } from '../../approval/decide/decide.ts'
import { awaitEdit, editCall } from '../../approval/decide/edit-call.ts'
import { explain } from '../../approval/decide/give-reason.ts'
import {
  type Decided,
  describeState,
  mayAnswer,
  noSuchApproval,
  refuseApproval,
  refuseUnauthorised,
} from '../../approval/decide/settle-decision.ts'
import { showOnCopy } from '../../card/cards.ts'
import { readCard, ruleOf } from '../../card/read-card.ts'
import { adoptCopy } from '../../delivery/adopt-copy.ts'
import { readTexts } from '../../stored.ts'
import type { Transaction } from '../../transaction.ts'
import type { InboundBody, InboxContext } from '../inbound.ts'
import { tooEarly } from './form-of.ts'

type DecidingAction = Exclude<CardAction, CardView>

const decisions: Readonly<Record<Exclude<DecidingAction, 'just_deny' | 'edit'>, Decision>> = {
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
  readonly action: DecidingAction
  readonly written: string | undefined
}

/** Handles a button of a card. Only the person who tapped sees the reply (CHAT-02). */
export async function tapCard(
  tx: Transaction<InboxContext>,
  conversationId: string,
  caller: Caller,
  {
    approvalId,
    action,
    messageId,
    isThere,
    isEarly,
    written,
  }: Extract<InboundBody, { kind: 'tap' }>,
): Promise<TapAnswer> {
  const approval = await findApproval(tx.db, approvalId)
  if (approval === undefined) return { text: noSuchApproval(tx.ctx).text, alert: true }
  await lockSession(tx.db, approval.session_id)
  // THREAT-8: a card whose sending was not recorded becomes a copy once a person who may answer taps there.
  if (isThere !== false && (await mayAnswer(tx.db, approval, caller))) {
    // Only a card that shows everything has more than deny buttons (APPR-16).
    const isCut = action === 'deny' || action === 'just_deny' || action === 'back'
    await adoptCopy(tx, approval, messageId, { conversationId, isCut })
  }
  if (isEarly === true && approval.state === 'pending') return tooEarly(tx.ctx)
  if (isView(action)) {
    return showView(tx, approval, caller, { conversationId, messageId, view: action })
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

function isView(action: CardAction): action is CardView {
  return cardViews.some((view) => view === action)
}

interface ViewTap extends MessageRef {
  readonly view: CardView
}

/**
 * CARD-03: shows the details or the choices of *Always* on the tapped copy, or closes them. Only the update in the outbox knows
 * of it: any other change of the card closes them, and other copies stay as they are.
 */
async function showView(
  tx: Transaction<InboxContext>,
  approval: ApprovalRow,
  caller: Caller,
  { conversationId, messageId, view }: ViewTap,
): Promise<TapAnswer> {
  const refusal = await refuseUnauthorised(tx.ctx, tx.db, approval, caller)
  if (refusal !== undefined) return { text: refusal.text, alert: true }
  if (approval.state !== 'pending') return { text: await describeState(tx, approval), alert: true }
  const copy = await findCardCopy(tx.db, approval.id, { conversationId, messageId })
  if (copy === undefined) return { text: noSuchApproval(tx.ctx).text, alert: true }
  // The choices grant, so they change the buttons of a copy only for those who may.
  const forbidden =
    view === 'choice'
      ? await refuseApproval(tx, approval, caller, ruleOf(tx.ctx, approval))
      : undefined
  if (forbidden !== undefined) return { text: forbidden.text, alert: true }
  const card = viewOf(tx.ctx, approval, view)
  await showOnCopy(tx, copy, { kind: 'card_update', card })
  return { text: '', alert: false }
}

/** The choices show the patterns in full, also where the card has excerpts of them. */
function viewOf({ messages }: InboxContext, approval: ApprovalRow, view: CardView): Card {
  const card = readCard(approval)
  if (view === 'back') return card
  if (view === 'details') return { ...card, open: view }
  return {
    ...card,
    open: view,
    alwaysPatterns: readTexts(approval.always_patterns).map((pattern) =>
      patternText(messages, pattern),
    ),
  }
}

/** Returns the decision of a button; a form has already asked for the reason. */
function decisionOf(action: keyof typeof decisions, written: string | undefined): Decision {
  if (action !== 'deny' || written === undefined) return decisions[action]
  const reason = written.trim()
  return { kind: 'deny', ...(reason !== '' && { reason }) }
}
