import { findApprovalByNumber, findPending } from '../../../db/approvals.ts'
import { firstShownAt } from '../../../db/card-copies.ts'
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
  const found = await find(context, word, decision)
  if (typeof found === 'string') return reply(context, found)
  const { kernel, db, after, caller } = context
  const decided = await decideLocked(kernel, db, after, found, caller, decision)
  if (decided.kind !== 'applied') return reply(context, decided.text)
  // In a chat the card may be far up; the terminal has just printed it.
  const isChat = kernel.people[context.conversation.platform] !== undefined
  if (isChat) await reply(context, `Question ${found.number}: ${decided.text}`)
}

async function find(
  context: CommandContext,
  word: string | undefined,
  decision: Decision,
): Promise<ApprovalRow | string> {
  const { db, session, receivedAt } = context
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
  if (pending.length === 1) {
    const shownAt = decision.kind === 'deny' ? undefined : await firstShownAt(db, only.id)
    if (shownAt === undefined || shownAt <= receivedAt) return only
    // Who wrote this may have looked at another one, which was answered meanwhile.
    return `Question ${only.number} has only just come; say /${decision.kind} ${only.number}.`
  }
  const numbers = pending.map((approval) => approval.number).join(', ')
  return `${pending.length} questions wait (${numbers}); say which, as in /approve ${only.number}.`
}
