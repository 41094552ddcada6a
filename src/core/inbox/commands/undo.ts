import { findLastWriter } from '../../../db/tool-calls.ts'
import { mayDecide } from '../../approval/decide.ts'
import { startOwn } from '../start-own.ts'
import { type CommandContext, reply } from './command.ts'

/** BASH-07, DECISION-20: who may is whose call it was, an approver, or an operator. */
export async function undo(context: CommandContext): Promise<void> {
  const { kernel, db, conversation, caller } = context
  if (kernel.settings.transaction === undefined) {
    const how = 'the operator can turn it on: transactional in [tools.shell]'
    return reply(context, `No state is kept that /undo could go back to; ${how}.`)
  }
  const writer = await findLastWriter(db, conversation.id)
  if (writer === undefined) return reply(context, 'Nothing was changed here yet.')
  if (!mayDecide(caller, writer)) {
    return reply(context, 'Only the person whose change it was, or an approver, may undo it.')
  }
  return startOwn(context, { kind: 'undo' })
}
