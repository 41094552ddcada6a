import { moveUnread } from '../../../db/turn/messages.ts'
import { closeSession, ensureSession } from '../../../db/turn/sessions.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { mayDecide } from '../../approval/decide/may-answer.ts'
import { startNextTurn } from '../../session/start-turn.ts'
import { stopTurn } from '../../turn/stop-turn.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'
import { dropFiles } from './drop-files.ts'
import { restartBox } from './restart-box.ts'
import { sayNothingHere } from './say-nothing-here.ts'

const cleared =
  'Cleared: a fresh transcript, and the quota is reset. What “Always” allowed in this session is gone, what an approver allowed for everybody stays. Files stay.'

/**
 * A fresh session: transcript, quota and grants begin anew, the workspace stays (DECISIONS 1). What runs is stopped;
 * its results are still settled and recorded, and wake nobody (INT-9); the box is restarted.
 */
export async function clear(tx: CommandTransaction): Promise<void> {
  const { db, conversation, session, caller } = tx
  const turn = await findLiveTurn(db, session.id)
  if (turn !== undefined && !(await mayDecide(db, caller, turn.caller_id))) {
    return replyAlone(tx, 'A turn is under way; only its person, or an approver, may clear it.')
  }
  if (turn !== undefined) {
    await stopTurn(tx, turn, { by: caller, why: 'cleared' })
  }
  const author = turn?.caller_id ?? caller.id
  const dropped = await dropFiles(tx, author)
  await restartBox(tx)
  await closeSession(db, session.id)
  const fresh = await ensureSession(db, conversation.id, session.worker)
  // What others wrote was promised a turn of its own; it gets one in the fresh session.
  await moveUnread(db, session.id, fresh.id, author)
  await noteCommand(tx, '/clear')
  const words = dropped === undefined ? cleared : `${cleared} ${dropped}`
  await reply(tx, turn === undefined ? await sayNothingHere(tx, words) : words)
  await startNextTurn(tx, fresh)
}
