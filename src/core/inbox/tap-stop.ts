import { findLiveTurn } from '../../db/turns.ts'
import type { TapAnswer } from '../../ports/chat.ts'
import type { CommandContext } from './commands/command.ts'
import type { InboundBody } from './inbound.ts'
import { notYoursToStop, stopRunning } from './stop-running.ts'

/** LOOP-14: a button below what a turn shows, or a platform's own. It ends that turn and nothing that came after it. */
export async function tapStop(
  context: CommandContext,
  { turnId }: Extract<InboundBody, { kind: 'stop' }>,
): Promise<TapAnswer> {
  const turn = await findLiveTurn(context.db, context.session.id)
  if (turn === undefined || (turnId !== undefined && turn.id !== turnId)) {
    return { text: 'It is over already.', alert: true }
  }
  const isStopped = await stopRunning(context, turn)
  return isStopped ? { text: 'Stopped.', alert: false } : { text: notYoursToStop, alert: true }
}
