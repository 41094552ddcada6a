import { editCall } from '../../approval/decide/edit-call.ts'
import { findAsked } from './answer.ts'
import { type CommandTransaction, reply, replyAlone } from './command.ts'

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
