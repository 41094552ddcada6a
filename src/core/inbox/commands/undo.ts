import { hasWritten } from '../../../db/call/tool-calls.ts'
import { startDirectTurn } from '../start-own.ts'
import { type CommandTransaction, reply, replyAlone } from './command.ts'
import { withThreadHint } from './is-private.ts'

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
