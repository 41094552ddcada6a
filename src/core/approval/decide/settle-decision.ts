import { z } from 'zod'
import { findApproval } from '../../../db/approval/approvals.ts'
import { insertGrants } from '../../../db/approval/grants.ts'
import { findAsked } from '../../../db/approval/votes.ts'
import { getCall, updateCall } from '../../../db/call/tool-calls.ts'
import { isSamePerson } from '../../../db/people/caller-links.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow, Db } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { getTurn, makeTurnDue } from '../../../db/turn/turns.ts'
import type { ApproverRule } from '../../../domain/approvers.ts'
import { type Caller, may } from '../../../domain/caller.ts'
import type { GrantLife } from '../../../domain/grant-life.ts'
import { english, type Messages } from '../../../domain/messages/messages.ts'
import { mayApprove } from '../../../rules/gate/approver-rule.ts'
import { assertNever } from '../../../util/guards.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { record } from '../../audit/record.ts'
import { refuseCall } from '../../call/refuse-call.ts'
import { deciderOf, updateCard } from '../../card/cards.ts'
import { ruleOf, whoMayAnswer } from '../../card/read-card.ts'
import type { CoreContext } from '../../context.ts'
import { readStored, readTexts } from '../../stored.ts'
import type { Connected, Effects, Transaction } from '../../transaction.ts'

const storedBeats = z.record(z.string(), z.array(z.string()))

/** Maximum UTF-16 units of a reason on the card; the model gets the whole reason. */
const shownOfReason = 500

/** Emits how an approval ended: by a person, expiry, a grant, or the end of its turn. */
export function emitApprovalDecided(effects: Effects, ended: ApprovalRow): void {
  const { id, conversation_id, turn_id, call_id, tool, state, created_at, decided_at } = ended
  if (state === 'pending' || state === 'superseded') return
  effects.emit({
    kind: 'approval_decided',
    turnId: turn_id,
    callId: call_id,
    tool,
    approvalId: id,
    conversationId: conversation_id,
    decision: ended.always_effect === 'none' ? state : 'always',
    waitedMs: (decided_at?.getTime() ?? 0) - created_at.getTime(),
  })
}

/** Applies a sufficient approval: the call may be evaluated again and sent by an agent (INT-4). Call under the session's lock. */
export async function settleApproval(
  tx: Transaction,
  approval: ApprovalRow,
  by: Caller,
  life: GrantLife | undefined,
): Promise<void> {
  await updateCall(tx.db, approval.call_id, { state: 'allowed' })
  if (life !== undefined) await grant(tx, approval, by, life)
  const decider = await deciderOf(tx, approval)
  await updateCard(tx, approval, {
    kind: 'approved',
    ...decider,
    always: life === 'always',
  })
  const due = await makeTurnDue(tx.db, approval.turn_id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

/** Returns, by pattern, the ask rules that a grant of the approval overrides; null if they were not stored. */
export function alwaysBeats({
  always_beats: text,
}: Pick<ApprovalRow, 'always_beats'>): Readonly<Record<string, readonly string[]>> | null {
  return text === null ? null : readStored(storedBeats, text)
}

/** APPR-07: grants exactly the shown patterns to the caller of the call. */
async function grant(
  tx: Transaction,
  approval: ApprovalRow,
  by: Caller,
  life: GrantLife,
): Promise<void> {
  const patterns = readTexts(approval.always_patterns)
  await insertGrants(tx.db, {
    sessionId: approval.session_id,
    callerId: approval.caller_id,
    tool: approval.tool,
    patterns,
    beats: alwaysBeats(approval),
    life,
    turnId: approval.turn_id,
    approvalId: approval.id,
    grantedBy: by.id,
  })
  await record(tx.db, {
    kind: 'command',
    chain: approval.session_id,
    session_id: approval.session_id,
    turn_id: approval.turn_id,
    tool: approval.tool,
    caller_id: by.id,
    approval_id: approval.id,
    note: tx.ctx.redact(
      `${english.approvals.lives[life]}, for ${approval.caller_id}: ${patterns.join(', ')}`,
    ),
  })
}

/** Settles a denied call with the error for the model (ERR-07) and updates its card. Call under the session's lock. */
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
    ...(await deciderOf(tx, approval)),
    ...(reason === '' ? {} : { reason: shorten(reason, shownOfReason) }),
  })
  const due = await makeTurnDue(tx.db, turn.id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

export function noSuchApproval({ messages }: CoreContext): Decided {
  return { kind: 'unknown', text: messages.approvals.none }
}

/**
 * CHAT-02: the caller of the turn by any of their accounts (APPR-18), approvers and operators may end the turn and deny its
 * approvals.
 */
export async function mayDecide(db: Db, by: Caller, callerId: string): Promise<boolean> {
  return may(by, 'decide_for_others') || (await isSamePerson(db, by.id, callerId))
}

/** Returns the refusal for a person who may not answer an approval; undefined if they may at least deny it. */
export async function refuseUnauthorised(
  ctx: CoreContext,
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided | undefined> {
  if (await mayAnswer(db, approval, by)) return undefined
  const rule = ruleOf(ctx, approval)
  const owner = await nameOf(db, approval.caller_id)
  const who = whoMayAnswer(ctx.messages, rule, owner)
  return { kind: 'forbidden', text: ctx.messages.approvals.mayNotAnswer({ who }) }
}

/** Whether a person may deny an approval; everyone who may approve it may also deny it. */
export async function mayAnswer(
  db: Db,
  approval: Pick<ApprovalRow, 'id' | 'caller_id'>,
  by: Caller,
): Promise<boolean> {
  if (await mayDecide(db, by, approval.caller_id)) return true
  return (await findAsked(db, approval.id)).has(by.id)
}

/** Returns the refusal for a person who may deny an approval but not approve it by this rule (APPR-17). */
export async function refuseApproval(
  { ctx, db }: Connected,
  approval: Pick<ApprovalRow, 'id' | 'caller_id'>,
  by: Caller,
  rule: ApproverRule,
): Promise<Decided | undefined> {
  const isSelf = await isSamePerson(db, by.id, approval.caller_id)
  const isAsked = (await findAsked(db, approval.id)).has(by.id)
  if (mayApprove({ ...by, isSelf, isAsked }, rule)) return undefined
  const { requester, mayOnlyDeny } = ctx.messages.approvals
  const who = whoMayAnswer(ctx.messages, rule, requester)
  return { kind: 'forbidden', text: mayOnlyDeny({ who }) }
}

/** Outcome of a decision; `text` is shown to the person who decided. */
export interface Decided {
  readonly kind: 'applied' | 'late' | 'forbidden' | 'unknown'
  readonly text: string
}

type LockedApproval =
  | { readonly kind: 'question'; readonly approval: ApprovalRow }
  | { readonly kind: 'refused'; readonly decided: Decided }

/** Reads an approval under the session's lock, which it takes first, for a person who may at least deny it. */
export async function lockApproval(
  ctx: CoreContext,
  db: Db,
  known: Pick<ApprovalRow, 'id' | 'session_id'>,
  by: Caller,
): Promise<LockedApproval> {
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval === undefined) return { kind: 'refused', decided: noSuchApproval(ctx) }
  const decided = await refuseUnauthorised(ctx, db, approval, by)
  return decided === undefined ? { kind: 'question', approval } : { kind: 'refused', decided }
}

/** Describes who decided what and when, for a tap that comes too late (APPR-04). */
export async function describeState(
  { ctx, db }: Connected,
  approval: ApprovalRow,
): Promise<string> {
  const { approvals } = ctx.messages
  const { state, life, decided_at: time, decided_by: by } = approval
  const at = time === null ? {} : { at: when(ctx.messages, time) }
  const decider = { ...at, ...(by === null ? {} : { by: await nameOf(db, by) }) }
  switch (state) {
    case 'pending':
      return approvals.stillWaiting
    case 'approved': {
      const more = life === null ? {} : { life: approvals.lives[life] }
      return approvals.alreadyApproved({ ...decider, ...more })
    }
    case 'denied':
      return approvals.alreadyDenied(decider)
    case 'granted':
      return approvals.allowedByRule(at)
    case 'expired':
      return approvals.expiredAt(at)
    case 'superseded':
      return approvals.replaced
    case 'cancelled': {
      const turn = await getTurn(db, approval.turn_id)
      if (turn.stopped_by !== null) return approvals.stoppedBy({ by: turn.stopped_by, ...at })
      const why = turn.state === 'stopped' ? turn.failure : null
      return approvals.cancelled({ ...at, ...(why === null ? {} : { why }) })
    }
    default:
      return assertNever(state)
  }
}

function when({ approvals, clock }: Messages, time: Date): string {
  const now = new Date()
  const words = clock.time(time, now)
  return clock.isSameDay(time, now)
    ? approvals.atTime({ time: words })
    : approvals.onDay({ day: words })
}
