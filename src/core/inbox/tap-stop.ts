import type { TurnRow } from '../../db/schema.ts'
import { findLiveTurn } from '../../db/turns.ts'
import { turnNumber } from '../../domain/turn-number.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import type { CommandContext } from './commands/command.ts'
import type { InboundBody } from './inbound.ts'
import { notYoursToStop, stopRunning } from './stop-running.ts'

type Stop = Extract<InboundBody, { kind: 'stop' }>

/** By how much a platform's clock may differ from the database's. */
const clocksDifferMs = 5_000

/** LOOP-14: a button below what a turn shows, or a platform's own. It ends that turn and nothing that came after it. */
export async function tapStop(context: CommandContext, meant: Stop): Promise<TapAnswer> {
  const turn = await findLiveTurn(context.db, context.session.id)
  if (turn === undefined || !isMeant(turn, meant)) {
    return { text: 'It is over already.', alert: true }
  }
  const isStopped = await stopRunning(context, turn)
  return isStopped ? { text: 'Stopped.', alert: false } : { text: notYoursToStop, alert: true }
}

/** What was delivered late stops no turn that began after it was pressed. */
function isMeant(
  { id, created_at }: TurnRow,
  { turnId, turnNumber: number, pressedAt }: Stop,
): boolean {
  if (turnId !== undefined) return id === turnId
  if (pressedAt !== undefined && created_at.getTime() > pressedAt + clocksDifferMs) return false
  return number === undefined || turnNumber(id) === number
}
