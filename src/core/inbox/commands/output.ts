import { findCallByNumber } from '../../../db/tool-calls.ts'
import { describeEnd } from '../../call/settle-result.ts'
import { type CommandContext, reply, replyPrivately } from './command.ts'

/** OUT-10: what a tool call gave: the one with this number, or the last. */
export async function output(
  context: CommandContext,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const word = words[0] ?? ''
  if (word !== '' && !/^\d{1,9}$/.test(word)) return reply(context, 'Usage: /output [n]')
  const number = word === '' ? undefined : Number(word)
  const call = await findCallByNumber(context.db, context.session.id, number)
  if (call === undefined) return reply(context, 'There is no such tool call in this session.')
  const text = call.output ?? call.result ?? ''
  await replyPrivately(context, {
    text: `Call ${call.number}, ${call.tool}: ${describeEnd(call)}`,
    quoted: text,
  })
}
