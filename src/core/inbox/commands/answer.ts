import { findApprovalByNumber, findPending } from '../../../db/approval/approvals.ts'
import { firstShownAt } from '../../../db/approval/card-copies.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import type { Decision } from '../../../domain/approval.ts'
import { grantEnds, toGrantEnd } from '../../../domain/grant-life.ts'
import { decideLocked } from '../../approval/decide/decide.ts'
import { decideAll } from '../../approval/decide/decide-all.ts'
import { numbersOf } from '../../card/cards.ts'
import { type CommandTransaction, reply, replyAlone } from './command.ts'
import { withThreadHint } from './is-private.ts'

export function approve(tx: CommandTransaction, _text: string, words: readonly string[]) {
  return answer(tx, words[0], { kind: 'approve' })
}

/** `/always [n] [turn|15m|1h|5x]`: without an end, for the session, or for everybody. */
export function always(tx: CommandTransaction, _text: string, words: readonly string[]) {
  const [first = '', second] = words
  const isAlone = second === undefined && toGrantEnd(first) !== undefined
  const [number, end] = isAlone ? [undefined, first] : [words[0], second]
  const life = end === undefined ? undefined : toGrantEnd(end)
  if (end !== undefined && life === undefined) {
    return replyAlone(
      tx,
      tx.ctx.messages.commands.usage({ command: `/always [n] [${grantEnds.join('|')}]` }),
    )
  }
  return answer(tx, number, { kind: 'always', ...(life === undefined ? {} : { life }) })
}

/** `/deny [n] reason`: a leading number selects the approval. */
export function deny(tx: CommandTransaction, text: string, words: readonly string[]) {
  const numbered = /^(?:\d+|\d+[-–]\d+|all)$/i.test(words[0] ?? '')
  const reason = (
    numbered ? text.slice(text.indexOf(words[0] ?? '') + (words[0] ?? '').length) : text
  ).trim()
  const decision: Decision = reason === '' ? { kind: 'deny' } : { kind: 'deny', reason }
  return answer(tx, numbered ? words[0] : undefined, decision)
}

async function answer(
  tx: CommandTransaction,
  word: string | undefined,
  decision: Decision,
): Promise<void> {
  const range = decision.kind === 'always' ? undefined : rangeOf(word)
  if (range !== undefined) return answerAll(tx, decision, range)
  const found = await findAsked(tx, word, decision.kind, lifeOf(decision))
  if (typeof found === 'string') return replyAlone(tx, found)
  const { ctx, caller, conversation } = tx
  const at = conversation.id
  const decided = await decideLocked(tx, found, { by: caller, decision, at })
  if (decided.kind !== 'applied') return replyAlone(tx, decided.text)
  // In a chat the card may be far up; the terminal has just shown it.
  const isChat = ctx.people[tx.conversation.platform] !== undefined
  if (isChat)
    await reply(tx, ctx.messages.approvals.about({ number: found.number, text: decided.text }))
}

interface NumberRange {
  readonly first: number
  readonly last: number
}

/** `all`, or `3-5` with both ends. */
function rangeOf(word = ''): NumberRange | undefined {
  if (word.toLowerCase() === 'all') return { first: 1, last: Infinity }
  const [, first, last] = /^(\d{1,9})[-–](\d{1,9})$/.exec(word) ?? []
  return first === undefined ? undefined : { first: Number(first), last: Number(last) }
}

/** APPR-20, CARD-04: answers the pending approvals of a range that were shown here before the command was written. */
async function answerAll(
  tx: CommandTransaction,
  decision: Decision,
  { first, last }: NumberRange,
): Promise<void> {
  const { ctx, db, caller, conversation, session } = tx
  const { approvals } = ctx.messages
  const all = await findPending(db, session.id)
  const pending = all.filter(({ number }) => number >= first && number <= last)
  if (pending.length === 0) {
    return replyAlone(tx, await withThreadHint(tx, approvals.nothingWaits))
  }
  const meant = decision.kind === 'deny' ? pending : await shownBefore(tx, pending)
  const late = pending.filter((question) => !meant.includes(question))
  const at = conversation.id
  const decided = await decideAll(tx, meant, { by: caller, decision, at })
  const tooLate = approvals.shownLate({ numbers: numbersOf(late) })
  const words = [decided.text, ...(late.length === 0 ? [] : [tooLate])]
  await reply(tx, words.filter((text) => text !== '').join('\n'))
}

/** Returns the approvals that the sender had seen here. */
async function shownBefore(
  tx: CommandTransaction,
  pending: readonly ApprovalRow[],
): Promise<ApprovalRow[]> {
  const { db, conversation, receivedAt } = tx

  const seen: ApprovalRow[] = []
  for (const question of pending) {
    const shownAt = await firstShownAt(db, question.id, conversation.id)
    if (shownAt !== undefined && shownAt <= receivedAt) seen.push(question)
  }
  return seen
}

/** Returns the approval that a command refers to, or why there is none. */
export async function findAsked(
  tx: CommandTransaction,
  word: string | undefined,
  verb: Decision['kind'] | 'edit',
  more = '',
): Promise<ApprovalRow | string> {
  const { ctx, db, session, receivedAt, conversation } = tx
  const { approvals } = ctx.messages
  if (word !== undefined && word !== '') {
    const number = Number(word)
    const known = Number.isSafeInteger(number)
      ? await findApprovalByNumber(db, session.id, number)
      : undefined
    return known ?? withThreadHint(tx, approvals.noNumber({ number: word.slice(0, 20) }))
  }
  const pending = await findPending(db, session.id)
  const [only] = pending
  if (only === undefined) return withThreadHint(tx, approvals.nothingWaits)
  if (pending.length === 1) {
    const shownAt = verb === 'deny' ? undefined : await firstShownAt(db, only.id, conversation.id)
    if (shownAt === undefined || shownAt <= receivedAt) return only
    // The sender may have meant another one, which was answered meanwhile.
    return approvals.justArrived({ number: only.number, command: `/${verb} ${only.number}${more}` })
  }
  const numbers = pending.map((approval) => approval.number).join(', ')
  return approvals.sayWhich({
    count: pending.length,
    numbers,
    command: `/${verb} ${only.number}`,
  })
}

function lifeOf(decision: Decision): string {
  const life = decision.kind === 'always' ? decision.life : undefined
  return life === undefined ? '' : ` ${life}`
}
