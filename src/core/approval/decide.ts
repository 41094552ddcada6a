import {
  endApproval,
  findApproval,
  insertGrants,
  insertVote,
  isCardShown,
} from '../../db/approvals.ts'
import { nameOf } from '../../db/callers.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import { getCall, updateCall } from '../../db/tool-calls.ts'
import { getTurn, makeDue } from '../../db/turns.ts'
import type { CardStatus, Decision } from '../../domain/approval.ts'
import type { Caller } from '../../domain/caller.ts'
import { toStorable } from '../../util/storable.ts'
import { record } from '../audit/record.ts'
import { refuseCall } from '../call/refuse-call.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { updateCard } from '../outbox/cards.ts'
import { describeState } from './describe-state.ts'

/** What became of a decision; `text` says it to whoever decided. */
export interface Decided {
  readonly kind: 'applied' | 'late' | 'forbidden' | 'unknown'
  readonly text: string
}

/**
 * A person answers a card (APPR-04): authorised against the rule in force now, claimed atomically, idempotent. Only
 * recorded here; an agent judges again and acts (INT-4).
 */
export function decide(
  kernel: Kernel,
  approvalId: string,
  by: Caller,
  decision: Decision,
): Promise<Decided> {
  return transact(kernel, async (db, after) => {
    const known = await findApproval(db, approvalId)
    if (known === undefined) return { kind: 'unknown', text: 'There is no such question.' }
    return decideLocked(kernel, db, after, known, by, decision)
  })
}

/** The same within a transaction; takes the session's lock first. */
export async function decideLocked(
  kernel: Kernel,
  db: Db,
  after: Effects,
  known: ApprovalRow,
  by: Caller,
  decision: Decision,
): Promise<Decided> {
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval === undefined) return { kind: 'unknown', text: 'There is no such question.' }
  const refused = await refusal(db, approval, by, decision)
  return refused ?? apply(kernel, db, after, approval, by, decision)
}

/** CHAT-02: the caller of the turn, approvers and operators. */
export function mayDecide(by: Caller, callerId: string): boolean {
  return by.id === callerId || by.role !== 'user'
}

async function refusal(
  db: Db,
  approval: ApprovalRow,
  by: Caller,
  decision: Decision,
): Promise<Decided | undefined> {
  if (!mayDecide(by, approval.caller_id)) {
    const owner = await nameOf(db, approval.caller_id)
    const text = `You may not answer this; ${owner} or an approver can.`
    return { kind: 'forbidden', text }
  }
  if (approval.state !== 'pending') return { kind: 'late', text: await describeState(db, approval) }
  if (decision.kind === 'always' && approval.always_patterns === '[]') {
    return { kind: 'forbidden', text: '“Always” is not offered for this call; approve or deny it.' }
  }
  if (decision.kind !== 'deny' && !(await isCardShown(db, approval.id))) {
    return { kind: 'forbidden', text: 'The card is not there yet; it must be shown first.' }
  }
  return undefined
}

async function apply(
  kernel: Kernel,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
  by: Caller,
  decision: Decision,
): Promise<Decided> {
  const reason = decision.kind === 'deny' ? decision.reason : undefined
  const ended = await endApproval(db, approval.id, {
    state: decision.kind === 'deny' ? 'denied' : 'approved',
    by: by.id,
    onlyUnexpired: true,
    ...(reason === undefined ? {} : { reason: toStorable(reason) }),
    ...(decision.kind === 'always'
      ? { alwaysEffect: by.role === 'user' ? 'session' : 'worker' }
      : {}),
  })
  if (ended === undefined) return { kind: 'late', text: 'This question has expired.' }
  await insertVote(db, approval.id, by.id, decision.kind)
  if (decision.kind === 'deny') await deny(kernel, db, ended)
  else await updateCall(db, ended.call_id, { state: 'allowed' })
  if (decision.kind === 'always') await grant(kernel, db, ended, by)
  await updateCard(db, after, ended, statusOf(ended, by, decision))
  const turn = await makeDue(db, ended.turn_id)
  if (turn !== undefined) after.wakeTurn(turn)
  return { kind: 'applied', text: wordOf[decision.kind] }
}

const wordOf = { approve: 'Approved.', always: 'Approved, always.', deny: 'Denied.' } as const

/** What the model is told when a person said no (ERR-07). */
async function deny(kernel: Kernel, db: Db, approval: ApprovalRow): Promise<void> {
  const call = await getCall(db, approval.call_id)
  const turn = await getTurn(db, approval.turn_id)
  const because = approval.reason === null || approval.reason === '' ? '' : `: ${approval.reason}`
  await refuseCall(kernel, db, call, turn.caller_id, {
    state: 'denied',
    error: { category: 'policy_blocked', message: `rejected by user${because}` },
  })
}

/** APPR-07: the shown patterns, and nothing else, for the caller whose call it was. */
async function grant(kernel: Kernel, db: Db, approval: ApprovalRow, by: Caller): Promise<void> {
  const patterns: string[] = JSON.parse(approval.always_patterns)
  await insertGrants(db, {
    sessionId: approval.session_id,
    callerId: approval.caller_id,
    tool: approval.tool,
    patterns,
    approvalId: approval.id,
    grantedBy: by.id,
  })
  await record(db, {
    kind: 'command',
    chain: approval.session_id,
    session_id: approval.session_id,
    turn_id: approval.turn_id,
    tool: approval.tool,
    caller_id: by.id,
    approval_id: approval.id,
    note: kernel.redact(`always, for ${approval.caller_id}: ${patterns.join(', ')}`),
  })
}

function statusOf(approval: ApprovalRow, by: Caller, decision: Decision): CardStatus {
  const at = (approval.decided_at ?? new Date()).toISOString()
  if (decision.kind !== 'deny') {
    return { kind: 'approved', by: by.name, at, always: decision.kind === 'always' }
  }
  const reason = decision.reason === undefined ? {} : { reason: decision.reason }
  return { kind: 'denied', by: by.name, at, ...reason }
}
