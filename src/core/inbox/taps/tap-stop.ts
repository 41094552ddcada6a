import type { Db, TurnRow } from '../../../db/schema.ts'
import { hasTurnEndedSince } from '../../../db/turn/turn-activity.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { turnNumber } from '../../../domain/turn.ts'
import type { TapAnswer } from '../../../ports/chat.ts'
import type { CommandTransaction } from '../commands/command.ts'
import type { InboundBody } from '../inbound.ts'
import { type StopReach, stopRunning } from '../stop-running.ts'

type Stop = Extract<InboundBody, { kind: 'stop' }>

/** Tolerated difference in milliseconds between a platform's clock and the database's. */
const clocksDifferMs = 5_000

/** LOOP-14: handles a stop button of a turn or of the platform. Stops that turn and no later one. */
export async function tapStop(tx: CommandTransaction, meant: Stop): Promise<TapAnswer> {
  const messages = tx.ctx.messages.inbox
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined || !(await isMeant(tx.db, turn, meant))) {
    return { text: messages.ended, alert: true }
  }
  const isStopped = await stopRunning(tx, turn, untilOf(meant))
  return isStopped
    ? { text: messages.stopped, alert: false }
    : { text: tx.ctx.messages.commands.stop.notYours, alert: true }
}

/** Messages written after the tap stay, however late the tap arrived. */
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

/** Whether the tap precedes the turn: beyond the clock tolerance, or within it if another turn could be meant. */
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
