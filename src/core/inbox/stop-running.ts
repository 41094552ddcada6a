import type { MessageRow, TurnRow } from '../../db/schema.ts'
import { assignPositions, findUnread } from '../../db/turn/messages.ts'
import { findUnreadUploads } from '../../db/upload/unread-uploads.ts'
import { mayDecide } from '../approval/decide/may-answer.ts'
import { endNotice } from '../outbox/post.ts'
import { startNextTurn } from '../session/start-turn.ts'
import { stopTurn } from '../turn/stop-turn.ts'
import { tellUploads } from '../turn/tell-uploads.ts'
import { type CommandTransaction, noteCommand } from './commands/command.ts'
import { restartBox } from './commands/restart-box.ts'
import { discardPending, sayAside } from './discard-pending.ts'

export const notYoursToStop = 'Only the person whose turn it is, or an approver, may stop it.'

/** What of what is unread goes with a turn that is stopped. */
export interface StopReach {
  /** Whose goes too, beside that of the turn's caller. */
  readonly withThoseOf?: string
  /** What came later stays. */
  readonly until?: Date
}

/**
 * LOOP-14: the turn's caller, approvers and operators end it, and say so in the conversation; what its caller wrote before that is
 * not run either. False: they may not, and nothing changed.
 */
export async function stopRunning(
  tx: CommandTransaction,
  turn: TurnRow,
  { withThoseOf, until }: StopReach = {},
): Promise<boolean> {
  const { db, conversation, session, caller, isElsewhere } = tx
  if (!(await mayDecide(db, caller, turn.caller_id))) return false
  await stopTurn(tx, turn, { by: caller, why: 'stopped' })
  await restartBox(tx)
  await noteCommand(tx, '/stop', turn.id)
  const author = turn.caller_id
  const whose = [...new Set([author, withThoseOf ?? author])]
  const unread = (await findUnread(db, session.id)).filter(
    (message) =>
      whose.includes(message.author) && (until === undefined || message.created_at <= until),
  )
  await placeFiles(tx, unread)
  await assignPositions(db, turn, unread)
  const held = await discardPending(tx, whose, until)
  const others = unread.filter((message) => message.author !== author).length
  const aside = sayAside({ ...held, messages: held.messages + others })
  const text = `Stopped by ${caller.name}.${aside}`
  // Where whoever stopped it does not write, it is told to whose turn it was.
  const own = { id: turn.id, conversationId: conversation.id }
  await endNotice(tx, own, text, isElsewhere ? author : caller.id)
  await startNextTurn(tx, session)
  return true
}

/** Says in these messages, and to people, what became of the files that came with them. */
async function placeFiles(tx: CommandTransaction, messages: readonly MessageRow[]): Promise<void> {
  const { db, conversation, session } = tx

  const ids = new Set(messages.map(({ id }) => id))
  for (const author of new Set(messages.map((message) => message.author))) {
    const files = await findUnreadUploads(db, { sessionId: session.id, author })
    const theirs = files.filter(({ message_id: id }) => ids.has(id))
    await tellUploads(tx, conversation.id, theirs)
  }
}
