import { z } from 'zod'
import { insertGrants } from '../../../db/approval/grants.ts'
import { getCall, updateCall } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { getTurn, makeTurnDue } from '../../../db/turn/turns.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { GrantLife } from '../../../domain/grant-life.ts'
import { english } from '../../../domain/messages/messages.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { record } from '../../audit/record.ts'
import { refuseCall } from '../../call/refuse-call.ts'
import { updateCard } from '../../card/cards.ts'
import { deciderOf } from '../../card/tell-card.ts'
import { readStored, readTexts } from '../../stored.ts'
import type { Effects, Transaction } from '../../transaction.ts'

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
