import { findLiveTurn } from '../../db/turns.ts'
import { turnNumber } from '../../domain/turn-number.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import type { CommandContext } from './commands/command.ts'
import type { InboundBody } from './inbound.ts'
import { notYoursToStop, stopRunning } from './stop-running.ts'

/** LOOP-14: a button below what a turn shows, or a platform's own. It ends that turn and nothing that came after it. */
export async function tapStop(
  context: CommandContext,
  meant: Extract<InboundBody, { kind: 'stop' }>,
): Promise<TapAnswer> {
  const turn = await findLiveTurn(context.db, context.session.id)
  if (turn === undefined || !isMeant(turn.id, meant)) {
    return { text: 'It is over already.', alert: true }
  }
  const isStopped = await stopRunning(context, turn)
  return isStopped ? { text: 'Stopped.', alert: false } : { text: notYoursToStop, alert: true }
}

function isMeant(
  id: string,
  { turnId, turnNumber: number }: Extract<InboundBody, { kind: 'stop' }>,
): boolean {
  if (turnId !== undefined) return id === turnId
  return number === undefined || turnNumber(id) === number
}
