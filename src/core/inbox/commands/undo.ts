import { hasWritten } from '../../../db/call/tool-calls.ts'
import { startOwn } from '../start-own.ts'
import { type CommandContext, reply, replyAlone } from './command.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** BASH-07, DECISION-20: who may is whose change it was, an approver, or an operator; the worker knows which change is the last. */
export async function undo(context: CommandContext, text: string): Promise<void> {
  const { ctx, db, conversation } = context
  if (ctx.settings.transaction === undefined) {
    const how = 'the operator can turn it on: transactional in [tools.shell]'
    return reply(context, `No state is kept that /undo could go back to; ${how}.`)
  }
  if (!(await hasWritten(db, conversation.id))) {
    return replyAlone(context, await sayNothingHere(context, 'Nothing was changed here yet.'))
  }
  if (text !== '' && text !== 'anyway') return replyAlone(context, 'It is /undo, or /undo anyway.')
  return startOwn(context, { kind: 'undo', anyway: text === 'anyway' })
}
