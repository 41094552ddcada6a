import { findApprovalByNumber, findPending } from '../../../db/approvals.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { Decision } from '../../../domain/approval.ts'
import { decideLocked } from '../../approval/decide.ts'
import { type CommandContext, reply } from './command.ts'

export function approve(context: CommandContext, _text: string, words: readonly string[]) {
  return answer(context, words[0], { kind: 'approve' })
}

export function always(context: CommandContext, _text: string, words: readonly string[]) {
  return answer(context, words[0], { kind: 'always' })
}

/** `/deny [n] reason`: a first word that is a number names the question. */
export function deny(context: CommandContext, text: string, words: readonly string[]) {
  const numbered = /^\d+$/.test(words[0] ?? '')
  const reason = (
    numbered ? text.slice(text.indexOf(words[0] ?? '') + (words[0] ?? '').length) : text
  ).trim()
  const decision: Decision = reason === '' ? { kind: 'deny' } : { kind: 'deny', reason }
  return answer(context, numbered ? words[0] : undefined, decision)
}

async function answer(
  context: CommandContext,
  word: string | undefined,
  decision: Decision,
): Promise<void> {
  const found = await find(context, word)
  if (typeof found === 'string') return reply(context, found)
  const { kernel, db, after, caller } = context
  const decided = await decideLocked(kernel, db, after, found, caller, decision)
  if (decided.kind !== 'applied') await reply(context, decided.text)
}

async function find(
  context: CommandContext,
  word: string | undefined,
): Promise<ApprovalRow | string> {
  const { db, session } = context
  if (word !== undefined && word !== '') {
    const number = Number(word)
    const known = Number.isSafeInteger(number)
      ? await findApprovalByNumber(db, session.id, number)
      : undefined
    return known ?? `There is no question ${word.slice(0, 20)}. /approvals lists what waits.`
  }
  const pending = await findPending(db, session.id)
  const [only] = pending
  if (only === undefined) return 'Nothing waits for an answer.'
  if (pending.length === 1) return only
  const numbers = pending.map((approval) => approval.number).join(', ')
  return `${pending.length} questions wait (${numbers}); say which, as in /approve ${only.number}.`
}
