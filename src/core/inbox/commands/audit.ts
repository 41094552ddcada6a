import { type AuditedCall, findLatestCalls } from '../../../db/call/latest-calls.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import { may } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { makeVisible } from '../../../rules/gate/visible.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { quoteOutput } from '../../card/card-excerpt.ts'
import {
  type CommandTransaction,
  privateConversation,
  replyAlone,
  replyPrivately,
} from './command.ts'

const fewest = 10
const most = 100
const longestArguments = 300
const usage = `/audit [n] [mine], n = 1–${most}`

/** CHAT-03: shows the latest audited calls in private: the caller's own, for operators everybody's. */
export async function audit(
  tx: CommandTransaction,
  _text: string,
  words: readonly string[],
): Promise<void> {
  const { ctx, db, caller } = tx
  const messages = ctx.messages.commands.audit
  const asked = readWords(words)
  if (asked === undefined) return replyAlone(tx, ctx.messages.commands.usage({ command: usage }))
  const isAll = may(caller, 'read_whole_audit') && !asked.isMine
  const accounts = isAll ? undefined : await findAccounts(db, caller.id)
  const calls = await findLatestCalls(db, asked.count, accounts)
  const who = isAll ? messages.everybody : caller.id
  if (calls.length === 0) return replyPrivately(tx, { text: messages.none({ who }) })
  const text = messages.head({ who })
  const place = await privateConversation(tx)
  const file = { about: messages.file, name: 'audit.txt' }
  const lines = calls.map((call) => describe(messages, call, isAll)).join('\n')
  // Without a private conversation the reply is only a hint.
  const quoted = place === undefined ? {} : await quoteOutput({ ctx, db }, place, lines, file)
  await replyPrivately(tx, { text, ...quoted })
}

function readWords(words: readonly string[]) {
  const isMine = words.at(-1)?.toLowerCase() === 'mine'
  const [word = String(fewest), ...more] = isMine ? words.slice(0, -1) : words
  const count = Number(word)
  const isCount = /^\d{1,3}$/.test(word) && count >= 1 && count <= most
  return isCount && more.length === 0 ? { count, isMine } : undefined
}

/** Renders `2026-11-21 14:07:02 bash: ask, by console:ada; success, 207 ms` with the arguments below. */
function describe(
  messages: Messages['commands']['audit'],
  call: AuditedCall,
  withCaller: boolean,
): string {
  const at = call.at.toISOString().slice(0, 19).replace('T', ' ')
  const who = withCaller ? ` ${call.caller_id ?? ''}` : ''
  const by = call.decided_by === null ? '' : `, ${messages.by({ name: call.decided_by })}`
  const ms = call.duration_ms === null ? '' : `, ${call.duration_ms} ms`
  const head = `${at}${who} ${call.tool ?? ''}: ${call.verdict ?? ''}${by}; ${call.result ?? messages.notEnded}${ms}`
  const given = shorten(makeVisible(call.arguments ?? ''), longestArguments)
  return `${makeVisible(head)}\n  ${given}`
}
