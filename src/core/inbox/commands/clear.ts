import { moveUnread } from '../../../db/turn/messages.ts'
import { closeSession, ensureSession } from '../../../db/turn/sessions.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { findUnreadUploads, type UnreadUpload } from '../../../db/upload/unread-uploads.ts'
import { markUploadsReported } from '../../../db/upload/uploads.ts'
import { callStatesAtWorker } from '../../../domain/tool/tool-call.ts'
import { mayDecide } from '../../approval/decide/settle-decision.ts'
import { stopTurn } from '../../turn/end-turn.ts'
import { startNextTurn } from '../../turn/start-turn.ts'
import { describeDiscarded, discardPending } from '../stop-running.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'
import { restartBox, withThreadHint } from './is-private.ts'

const underWay: ReadonlySet<string | null> = new Set(callStatesAtWorker)

/**
 * Starts a fresh session with new transcript, quota and grants; the workspace stays (DECISIONS 1). Stops what runs: its results
 * are still settled and recorded but wake no turn (INT-9). Restarts the box.
 */
export async function clear(tx: CommandTransaction): Promise<void> {
  const { ctx, db, conversation, session, caller } = tx
  const messages = ctx.messages.commands.clear
  const turn = await findLiveTurn(db, session.id)
  if (turn !== undefined && !(await mayDecide(db, caller, turn.caller_id))) {
    return replyAlone(tx, messages.notYours)
  }
  if (turn !== undefined) {
    await stopTurn(tx, turn, { by: caller, why: 'cleared' })
  }
  const author = turn?.caller_id ?? caller.id
  const dropped = await dropFiles(tx, author)
  await restartBox(tx)
  await closeSession(db, session.id)
  const fresh = await ensureSession(db, conversation.id, session.worker)
  // Messages of other people were promised a turn and get it in the fresh session.
  await moveUnread(db, session.id, fresh.id, author)
  await noteCommand(tx, '/clear')
  const words = dropped === undefined ? messages.done : `${messages.done} ${dropped}`
  await reply(tx, turn === undefined ? await withThreadHint(tx, words) : words)
  await startNextTurn(tx, fresh)
}

/**
 * CHAT-07: drops a person's files that still wait to be fetched or stored in the workspace, with their messages and those waiting
 * behind them. Returns a text about it; undefined: nothing waited.
 */
async function dropFiles(tx: CommandTransaction, author: string): Promise<string | undefined> {
  const { ctx, db, session } = tx
  const { clear: messages, stop } = ctx.messages.commands
  const aside = await discardPending(tx, [author])
  const unread = await findUnreadUploads(db, { sessionId: session.id, author })
  await markUploadsReported(
    db,
    unread.map(({ id }) => id),
  )
  const [late, dropped] = [unread.filter(isUnderWay), unread.filter(isOpen)]
  const what = describeDiscarded(ctx.messages, {
    ...aside,
    names: [...aside.names, ...namesOf(dropped)],
  })
  // Its call is cancelled, perhaps too late.
  const perhaps = describeDiscarded(ctx.messages, { names: namesOf(late), messages: 0 })
  const words = [
    ...(what === undefined ? [] : [stop.discarded({ what })]),
    ...(perhaps === undefined ? [] : [messages.perhapsThere({ what: perhaps })]),
  ]
  return words.length === 0 ? undefined : words.join(' ')
}

function namesOf(files: readonly UnreadUpload[]): readonly string[] {
  return files.map(({ name }) => name)
}

function isUnderWay({ call_state }: UnreadUpload): boolean {
  return underWay.has(call_state)
}

/** Whether a file is neither in the workspace, nor on its way, nor unavailable. */
function isOpen(file: UnreadUpload): boolean {
  return file.state === 'kept' && file.call_state !== 'succeeded' && !isUnderWay(file)
}
