import { findOverflowOfCall } from '../../../db/call/overflow.ts'
import { findCallByNumber } from '../../../db/call/tool-calls.ts'
import type { ToolCallRow } from '../../../db/schema.ts'
import { emptyOutput } from '../../../domain/tool/tool-call.ts'
import { statisticsOf } from '../../call/output/shorten-output.ts'
import { quoteOutput } from '../../card/card-excerpt.ts'
import { describeEnd } from '../../card/cards.ts'
import {
  type CommandTransaction,
  privateConversation,
  replyAlone,
  replyPrivately,
} from './command.ts'
import { withThreadHint } from './is-private.ts'

/** OUT-10: shows the output of the tool call with this number, or of the last one; `all`: without filters. */
export async function output(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const { commands } = tx.ctx.messages
  const messages = commands.output
  const wantsAll = words.at(-1) === 'all'
  const word = (wantsAll ? words.slice(0, -1) : words)[0] ?? ''
  if (word !== '' && !/^\d{1,9}$/.test(word))
    return replyAlone(tx, commands.usage({ command: '/output [n] [all]' }))
  const wanted = word === '' ? undefined : Number(word)
  const call = await findCallByNumber(tx.db, tx.session.id, wanted)
  if (call === undefined) {
    return replyAlone(tx, await withThreadHint(tx, messages.none))
  }
  const { number } = call
  const command = `/output ${number} all`
  const statistics = wantsAll ? undefined : statisticsOf(call)
  const found = wantsAll ? await wholeOutput(tx, call) : shownOutput(call)
  const text = found === emptyOutput ? tx.ctx.messages.turns.noOutput : found
  const place = await privateConversation(tx)
  const file = { about: messages.file({ number: call.number }), name: `output-${call.number}.txt` }
  // Without a private conversation the reply is only a hint.
  const quoted = place === undefined ? {} : await quoteOutput(tx, place, text, file)
  await replyPrivately(tx, {
    text: [
      [
        messages.head({ number, tool: call.tool, end: describeEnd(tx.ctx.messages, call) }),
        ...(call.cached_from === null ? [] : [messages.fromCache]),
      ].join(', '),
      ...(statistics === undefined ? [] : [messages.showAll({ statistics, command })]),
    ].join('\n'),
    ...quoted,
  })
}

function shownOutput({ output, result }: ToolCallRow): string {
  return output ?? result ?? ''
}

/** Returns the redacted text before filters and cuts if still stored, otherwise the shown one. */
async function wholeOutput(tx: CommandTransaction, call: ToolCallRow): Promise<string> {
  const { ctx, db } = tx

  const owner = call.cached_from ?? call.id
  const kept = await findOverflowOfCall(db, owner, ctx.settings.overflowRetentionDays)
  return kept?.content ?? shownOutput(call)
}
