import { endApproval, findApproval, insertVote } from '../../db/approvals.ts'
import { nameOf } from '../../db/callers.ts'
import { isCardShown } from '../../db/card-copies.ts'
import type { ApprovalRow, Db } from '../../db/schema.ts'
import { lockSession } from '../../db/sessions.ts'
import type { Decision } from '../../domain/approval.ts'
import type { Caller } from '../../domain/caller.ts'
import { assertNever } from '../../util/assert-never.ts'
import { toStorable } from '../../util/storable.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type Effects, transact } from '../kernel/transact.ts'
import { deciderOf } from '../outbox/card-decider.ts'
import { readCard, updateCard } from '../outbox/cards.ts'
import { describeState } from './describe-state.ts'
import { giveReason } from './give-reason.ts'
import { settleApproval } from './settle-approval.ts'
import { settleDenial } from './settle-denial.ts'
import { tellDecided } from './tell-decided.ts'

/** How long a reason may follow a denial (TG-03). */
const explainMs = 5 * 60_000

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
    if (known === undefined) return noSuchQuestion
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
  if (approval === undefined) return noSuchQuestion
  const refused = await refuseStranger(db, approval, by)
  if (refused !== undefined) return refused
  if (approval.state !== 'pending') return late(kernel, db, after, approval, by, decision)
  return (await refusal(db, approval, decision)) ?? apply(kernel, db, after, approval, by, decision)
}

/** CHAT-02: the caller of the turn, approvers and operators. */
export function mayDecide(by: Caller, callerId: string): boolean {
  return by.id === callerId || by.role !== 'user'
}

export const noSuchQuestion: Decided = { kind: 'unknown', text: 'There is no such question.' }

/** What whoever may not answer a question is told; undefined: they may. */
export async function refuseStranger(
  db: Db,
  approval: ApprovalRow,
  by: Caller,
): Promise<Decided | undefined> {
  if (mayDecide(by, approval.caller_id)) return undefined
  const owner = await nameOf(db, approval.caller_id)
  return { kind: 'forbidden', text: `You may not answer this; ${owner} or an approver can.` }
}

/** A question that was decided stays so; but whoever denied it may still say why, also by denying it once more. */
async function late(
  kernel: Kernel,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
  by: Caller,
  decision: Decision,
): Promise<Decided> {
  const text = await describeState(db, approval)
  const isTheirs = approval.reason_until !== null && approval.decided_by === by.id
  if (!isTheirs || decision.kind !== 'deny') return { kind: 'late', text }
  if (isOpenDenial(decision)) {
    return { kind: 'late', text: 'Reply to the card with a reason, or tap Just deny.' }
  }
  const given = await giveReason(kernel, db, after, approval, decision.reason)
  return given ? { kind: 'applied', text: 'Denied.' } : { kind: 'late', text }
}

async function refusal(
  db: Db,
  approval: ApprovalRow,
  decision: Decision,
): Promise<Decided | undefined> {
  if (decision.kind === 'deny') return undefined
  if (readCard(approval).tooLarge === true) {
    return { kind: 'forbidden', text: 'It is too large to be shown; it can only be denied.' }
  }
  if (decision.kind === 'always' && approval.always_patterns === '[]') {
    return { kind: 'forbidden', text: '“Always” is not offered for this call; approve or deny it.' }
  }
  if (!(await isCardShown(db, approval.id))) {
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
  const ended = await endApproval(db, approval.id, {
    by: by.id,
    // APPR-19: where questions stay, one that the sweeper has not moved on yet can be answered all the same.
    onlyUnexpired: kernel.settings.onExpiry !== 'wait',
    ...endOf(by, decision),
  })
  if (ended === undefined) return { kind: 'late', text: 'This question has expired.' }
  tellDecided(after, ended)
  await insertVote(db, approval.id, by.id, decision.kind)
  if (decision.kind !== 'deny') await settleApproval(kernel, db, after, ended, by, decision.kind)
  else if (ended.reason_until === null) await settleDenial(kernel, db, after, ended)
  else await awaitReason(db, after, ended, ended.reason_until)
  return { kind: 'applied', text: wordOf[isOpenDenial(decision) ? 'openDenial' : decision.kind] }
}

const wordOf = {
  approve: 'Approved.',
  always: 'Approved, always.',
  deny: 'Denied.',
  openDenial: 'Denied. Reply to the card within 5 minutes to say why, or tap Just deny.',
} as const

function endOf(by: Caller, decision: Decision): Parameters<typeof endApproval>[2] {
  switch (decision.kind) {
    case 'approve':
      return { state: 'approved' }
    case 'always':
      return { state: 'approved', alwaysEffect: by.role === 'user' ? 'session' : 'worker' }
    case 'deny': {
      if (isOpenDenial(decision)) return { state: 'denied', explainMs }
      const { reason } = decision
      return { state: 'denied', ...(reason === undefined ? {} : { reason: toStorable(reason) }) }
    }
    default:
      return assertNever(decision)
  }
}

/** A denial whose reason may follow. */
function isOpenDenial(decision: Decision): boolean {
  return decision.kind === 'deny' && decision.mayExplain === true && !decision.reason
}

/** DECISION-16: claimed, so that nobody else decides; the model is told once the reason is there, or does not come. */
async function awaitReason(
  db: Db,
  after: Effects,
  denied: ApprovalRow,
  until: Date,
): Promise<void> {
  const decider = await deciderOf(db, denied)
  await updateCard(db, after, denied, {
    kind: 'denying',
    ...decider,
    until: until.toISOString(),
  })
}
