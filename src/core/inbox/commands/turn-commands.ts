import { hasWritten } from '../../../db/call/tool-calls.ts'
import { findLastTurn, insertRetryTurn } from '../../../db/turn/retries.ts'
import { findLiveTurn } from '../../../db/turn/turns.ts'
import { editCall } from '../../approval/decide/edit-call.ts'
import { emitTurnStarted } from '../../turn/start-turn.ts'
import { startDirectTurn } from '../start-own.ts'
import { discardedSentence, discardPending, stopRunning } from '../stop-running.ts'
import { findAsked } from './answer.ts'
import { type CommandTransaction, noteCommand, reply, replyAlone } from './command.ts'
import { restartBox, withThreadHint } from './is-private.ts'

/** `/edit [n] text`: APPR-14, changes the call of an approval; a leading number selects it. */
export async function edit(
  tx: CommandTransaction,
  text: string,
  words: readonly string[],
): Promise<void> {
  const [first = ''] = words
  const isNumbered = /^\d+$/.test(first)
  const written = (isNumbered ? text.slice(text.indexOf(first) + first.length) : text).trim()
  if (written === '') return replyAlone(tx, tx.ctx.messages.commands.edit.usage)
  const found = await findAsked(tx, isNumbered ? first : undefined, 'edit')
  if (typeof found === 'string') return replyAlone(tx, found)
  const { ctx, caller } = tx
  const edited = await editCall(tx, found, caller, written)
  const { number } = found
  const isEdited = edited.kind === 'applied'
  const told = isEdited ? ctx.messages.approvals.about({ number, text: edited.text }) : edited.text
  await reply(tx, told)
}

/** MODEL-04: continues after a failed or stopped turn, as the same person. */
export async function retry(tx: CommandTransaction): Promise<void> {
  const { ctx, db, session, caller } = tx
  const messages = ctx.messages.commands.retry
  const last = await findLastTurn(db, session.id)
  if (last === undefined || last.kind !== 'message' || last.state === 'done') {
    return replyAlone(tx, await withThreadHint(tx, messages.nothing))
  }
  if (last.ended_at === null) return replyAlone(tx, messages.running)
  // The turn uses the grants and the budget of its caller.
  if (last.caller_id !== caller.id) {
    return replyAlone(tx, messages.notYours)
  }
  const turn = await insertRetryTurn(db, { sessionId: session.id, callerId: caller.id })
  await noteCommand(tx, '/retry', turn.id)
  tx.effects.wakeTurn(turn)
  emitTurnStarted(tx.effects, session, turn)
}

/** LOOP-14: stops the turn and background jobs, and drops the caller's unread messages. */
export async function stop(tx: CommandTransaction): Promise<void> {
  const messages = tx.ctx.messages.commands.stop
  const author = tx.caller.id
  const turn = await findLiveTurn(tx.db, tx.session.id)
  if (turn === undefined) {
    // Background jobs have no turn any more.
    await restartBox(tx)
    const aside = discardedSentence(tx.ctx.messages, await discardPending(tx, [author]))
    const words = `${messages.nothing}${aside}`
    return reply(tx, await withThreadHint(tx, words))
  }
  if (!(await stopRunning(tx, turn, { alsoFrom: author }))) await replyAlone(tx, messages.notYours)
}

/**
 * BASH-07, DECISION-20: undoes the last change, for its author, approvers and operators; the worker knows which change is the
 * last.
 */
export async function undo(tx: CommandTransaction, text: string): Promise<void> {
  const { ctx, db, conversation } = tx
  if (ctx.settings.transaction === undefined) {
    return reply(tx, ctx.messages.commands.undo.off)
  }
  if (!(await hasWritten(db, conversation.id))) {
    return replyAlone(tx, await withThreadHint(tx, ctx.messages.commands.undo.nothing))
  }
  if (text !== '' && text !== 'anyway')
    return replyAlone(tx, ctx.messages.commands.usage({ command: '/undo [anyway]' }))
  return startDirectTurn(tx, { kind: 'undo', anyway: text === 'anyway' })
}
