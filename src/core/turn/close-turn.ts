import { endApproval, findPendingOfTurn } from '../../db/approval/approvals.ts'
import { findOpenCalls, requestCancel } from '../../db/call/tool-calls.ts'
import type { TurnRow } from '../../db/schema.ts'
import type { Caller } from '../../domain/caller.ts'
import { tellDecided } from '../approval/decide/tell-decided.ts'
import { endExplanationsOfTurn } from '../approval/end-reason-waits.ts'
import { closeCard } from '../call/close-card.ts'
import { refuseCall } from '../call/refuse-call.ts'
import { updateCard } from '../card/cards.ts'
import type { Transaction } from '../transaction.ts'

/** Why a turn ended before its work was done. */
interface Closing {
  readonly why: string
  /** The caller who ended it, where it was a person. */
  readonly by?: Pick<Caller, 'id' | 'name'>
}

/**
 * Closes up a turn that has ended with work open: its questions are cancelled, what was denied is told as that,
 * calls that no worker has are over, those at a worker are to be cancelled by an agent until they are settled (rule 8). Call
 * under the session's lock.
 */
export async function closeTurn(tx: Transaction, turn: TurnRow, closing: Closing): Promise<void> {
  await cancelQuestions(tx, turn, closing)
  await endExplanationsOfTurn(tx, turn.id)
  await dropCalls(tx, turn, closing)
  if (await requestCancel(tx.db, turn.id)) tx.effects.abortTurn(turn.id)
}

async function cancelQuestions(
  tx: Transaction,
  turn: TurnRow,
  { why, by }: Closing,
): Promise<void> {
  for (const approval of await findPendingOfTurn(tx.db, turn.id)) {
    const end = { state: 'cancelled', ...(by === undefined ? {} : { by: by.id }) } as const
    const cancelled = await endApproval(tx.db, approval.id, end)
    if (cancelled === undefined) continue
    tellDecided(tx.effects, cancelled)
    const name = by === undefined ? {} : { by: by.name }
    await updateCard(tx, cancelled, { kind: 'cancelled', why, ...name })
  }
}

async function dropCalls(tx: Transaction, turn: TurnRow, { why, by }: Closing): Promise<void> {
  for (const call of await findOpenCalls(tx.db, turn.id)) {
    if (call.state === 'queued' || call.state === 'running') continue
    const message = by === undefined ? why : `${why} by ${by.name}`
    const error = { category: 'cancelled', message } as const
    await refuseCall(tx, call, turn.caller_id, { state: 'cancelled', error })
    await closeCard(tx, call.id, why, by?.name)
  }
}
