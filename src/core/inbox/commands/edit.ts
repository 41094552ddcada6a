import { editCall } from '../../approval/decide/edit-call.ts'
import { findAsked } from './answer.ts'
import { type CommandContext, reply, replyAlone } from './command.ts'

/** `/edit [n] text`: APPR-14, changes what a question asks about; a first word that is a number names the question. */
export async function edit(
  context: CommandContext,
  text: string,
  words: readonly string[],
): Promise<void> {
  const [first = ''] = words
  const isNumbered = /^\d+$/.test(first)
  const written = (isNumbered ? text.slice(text.indexOf(first) + first.length) : text).trim()
  if (written === '') return replyAlone(context, usage)
  const found = await findAsked(context, isNumbered ? first : undefined, 'edit')
  if (typeof found === 'string') return replyAlone(context, found)
  const { ctx, db, after, caller } = context
  const edited = await editCall(ctx, db, after, found, caller, written)
  const about = edited.kind === 'applied' ? `Question ${found.number}: ` : ''
  await reply(context, `${about}${edited.text}`)
}

const usage =
  'Say what it should be, as in /edit 2 git status: the command for bash, a URL for web tools, a JSON object with the arguments to change for others.'
