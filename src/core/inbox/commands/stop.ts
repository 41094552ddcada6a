import { findUnread, placeMessages } from '../../../db/messages.ts'
import { findLiveTurn } from '../../../db/turns.ts'
import { mayDecide } from '../../approval/may-answer.ts'
import { startNextTurn } from '../../session/start-turn.ts'
import { stopTurn } from '../../turn/stop-turn.ts'
import { type CommandContext, noteCommand, reply } from './command.ts'
import { restartBox } from './restart-box.ts'

/** LOOP-14: the turn's caller, approvers and operators end it; what its caller wrote before that is not run either. */
export async function stop(context: CommandContext): Promise<void> {
  const { kernel, db, after, session, caller } = context
  const turn = await findLiveTurn(db, session.id)
  if (turn === undefined) {
    // What was left running in the background has no turn any more.
    await restartBox(context)
    return reply(context, 'Nothing is running. Background jobs, if there were any, are ended.')
  }
  if (!mayDecide(caller, turn.caller_id)) {
    return reply(context, 'Only the person whose turn it is, or an approver, may stop it.')
  }
  await stopTurn(kernel, db, after, turn, { by: caller, why: `stopped by ${caller.name}` })
  await restartBox(context)
  await noteCommand(context, '/stop', turn.id)
  const unread = await findUnread(db, session.id)
  await placeMessages(
    db,
    turn,
    unread.filter((message) => message.author === turn.caller_id),
  )
  await reply(context, `Stopped by ${caller.name}.`)
  await startNextTurn(db, after, session)
}
