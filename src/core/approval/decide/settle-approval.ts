import { z } from 'zod'
import { insertGrants } from '../../../db/approval/grants.ts'
import { updateCall } from '../../../db/call/tool-calls.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { makeTurnDue } from '../../../db/turn/turns.ts'
import type { Caller } from '../../../domain/caller.ts'
import { type GrantLife, grantWords } from '../../../domain/grant-life.ts'
import { record } from '../../audit/record.ts'
import { deciderOf } from '../../card/card-decider.ts'
import { updateCard } from '../../card/cards.ts'
import { readStored, readTexts } from '../../stored.ts'
import type { Transaction } from '../../transaction.ts'

/** A person said yes: the call may be judged again and sent by an agent (INT-4). Call under the session's lock. */
export async function settleApproval(
  tx: Transaction,
  approval: ApprovalRow,
  by: Caller,
  life: GrantLife | undefined,
): Promise<void> {
  await updateCall(tx.db, approval.call_id, { state: 'allowed' })
  if (life !== undefined) await grant(tx, approval, by, life)
  const decider = await deciderOf(tx.db, approval)
  await updateCard(tx, approval, {
    kind: 'approved',
    ...decider,
    always: life === 'always',
  })
  const due = await makeTurnDue(tx.db, approval.turn_id)
  if (due !== undefined) tx.effects.wakeTurn(due)
}

const storedBeats = z.record(z.string(), z.array(z.string()))

/** By pattern the questions that a grant of an approval wins over; null: they were not stored. */
export function alwaysBeats({
  always_beats: text,
}: Pick<ApprovalRow, 'always_beats'>): Readonly<Record<string, readonly string[]>> | null {
  return text === null ? null : readStored(storedBeats, text)
}

/** APPR-07: the shown patterns, and nothing else, for the caller whose call it was. */
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
    note: tx.ctx.redact(`${grantWords[life]}, for ${approval.caller_id}: ${patterns.join(', ')}`),
  })
}
