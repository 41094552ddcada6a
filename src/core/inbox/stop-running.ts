import { findUnread, placeMessages } from '../../db/messages.ts'
import type { TurnRow } from '../../db/schema.ts'
import { findUnreadUploads } from '../../db/unread-uploads.ts'
import { mayDecide } from '../approval/may-answer.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { stopTurn } from '../turn/stop-turn.ts'
import { tellUploads } from '../turn/tell-uploads.ts'
import { type CommandContext, noteCommand, reply } from './commands/command.ts'
import { restartBox } from './commands/restart-box.ts'
import { setAside } from './set-aside.ts'

export const notYoursToStop = 'Only the person whose turn it is, or an approver, may stop it.'

/**
 * LOOP-14: the turn's caller, approvers and operators end it, and say so in the conversation; what its caller wrote before that is
 * not run either, nor what those of `withThoseOf` wrote and nobody has read. False: they may not, and nothing changed.
 */
export async function stopRunning(
  context: CommandContext,
  turn: TurnRow,
  withThoseOf: readonly string[] = [],
): Promise<boolean> {
  const { kernel, db, after, conversation, session, caller } = context
  if (!(await mayDecide(db, caller, turn.caller_id))) return false
  await stopTurn(kernel, db, after, turn, { by: caller, why: `stopped by ${caller.name}` })
  await restartBox(context)
  await noteCommand(context, '/stop', turn.id)
  const author = turn.caller_id
  const files = await findUnreadUploads(db, { sessionId: session.id, author })
  await tellUploads(db, after, conversation.id, files)
  const unread = await findUnread(db, session.id)
  await placeMessages(
    db,
    turn,
    unread.filter((message) => message.author === author),
  )
  const aside = await setAside(context, [author, ...withThoseOf])
  await reply(context, `Stopped by ${caller.name}.${aside}`)
  await startNextTurn(db, after, session)
  return true
}
