import type { Db, TurnRow } from '../../../db/schema.ts'
import { hasTurnEndedSince } from '../../../db/turn/ended-turns.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { turnNumber } from '../../../domain/turn-number.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import type { CommandTransaction } from '../commands/command.ts'
import type { InboundBody } from '../inbound.ts'
import { notYoursToStop, type StopReach, stopRunning } from '../stop-running.ts'

type Stop = Extract<InboundBody, { kind: 'stop' }>

/** By how much a platform's clock may differ from the database's. */
const clocksDifferMs = 5_000

/** LOOP-14: a button below what a turn shows, or a platform's own. It ends that turn and nothing that came after it. */
export async function tapStop(tx: CommandTransaction, meant: Stop): Promise<TapAnswer> {
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined || !(await isMeant(tx.db, turn, meant))) {
    return { text: 'It is over already.', alert: true }
  }
  const isStopped = await stopRunning(tx, turn, untilOf(meant))
  return isStopped ? { text: 'Stopped.', alert: false } : { text: notYoursToStop, alert: true }
}

/** What was written after it was pressed stays, however late it was delivered. */
function untilOf({ pressedAt }: Stop): StopReach {
  return pressedAt === undefined ? {} : { until: new Date(pressedAt + clocksDifferMs) }
}

async function isMeant(
  db: Db,
  turn: TurnRow,
  { turnId, turnNumber: number, pressedAt }: Stop,
): Promise<boolean> {
  if (turnId !== undefined) return turn.id === turnId
  if (number !== undefined) return turnNumber(turn.id) === number
  return pressedAt === undefined || !(await isLate(db, turn, pressedAt))
}

/** Whether it was pressed before the turn began: for certain, or by clocks that may differ while another turn was still there to mean. */
async function isLate(
  db: Db,
  { session_id, created_at }: TurnRow,
  pressedAt: number,
): Promise<boolean> {
  const tooEarlyMs = created_at.getTime() - pressedAt
  if (tooEarlyMs <= 0) return false
  if (tooEarlyMs > clocksDifferMs) return true
  return hasTurnEndedSince(db, session_id, new Date(pressedAt - clocksDifferMs))
}
