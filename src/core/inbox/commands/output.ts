import { findOverflowOfCall } from '../../../db/overflow.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { findCallByNumber } from '../../../db/tool-calls.ts'
import { describeEnd } from '../../call/settle-result.ts'
import { statisticsOf } from '../../call/tell-filtered.ts'
import { type CommandContext, reply, replyPrivately } from './command.ts'

/** OUT-10: what a tool call gave: the one with this number, or the last; `all`: without what filters took away. */
export async function output(
  context: CommandContext,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const wantsAll = words.at(-1) === 'all'
  const word = (wantsAll ? words.slice(0, -1) : words)[0] ?? ''
  if (word !== '' && !/^\d{1,9}$/.test(word)) return reply(context, 'Usage: /output [n] [all]')
  const number = word === '' ? undefined : Number(word)
  const call = await findCallByNumber(context.db, context.session.id, number)
  if (call === undefined) return reply(context, 'There is no such tool call in this session.')
  const statistics = wantsAll ? undefined : statisticsOf(call)
  await replyPrivately(context, {
    text: [
      `Call ${call.number}, ${call.tool}: ${describeEnd(call)}`,
      ...(statistics === undefined ? [] : [`${statistics}; /output ${call.number} all shows them`]),
    ].join('\n'),
    quoted: wantsAll ? await wholeOutput(context, call) : shownOutput(call),
  })
}

function shownOutput({ output, result }: ToolCallRow): string {
  return output ?? result ?? ''
}

/** As long as it is kept, the redacted text before filters and cuts; then what is left of it. */
async function wholeOutput({ kernel, db }: CommandContext, call: ToolCallRow): Promise<string> {
  const kept = await findOverflowOfCall(db, call.id, kernel.settings.overflowRetentionDays)
  return kept ?? shownOutput(call)
}
