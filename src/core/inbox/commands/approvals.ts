import { findApproval, findPending } from '../../../db/approval/approvals.ts'
import { countCopiesSince, findPendingElsewhere } from '../../../db/approval/card-copies.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { mayAnswer } from '../../approval/decide/may-answer.ts'
import { postQuestion } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import { type CommandTransaction, reply } from './command.ts'
import { isPrivate } from './is-private.ts'
import { sayNothingHere } from './say-nothing-here.ts'

/** So many copies a minute are enough: every one is edited at every change. */
const mostCopies = 3
const minuteMs = 60_000

/**
 * APPR-09: lists what waits here (asked here, shown here, or asked for the caller by another account of theirs), and for whom;
 * posts each card again for who may answer it.
 */
export async function approvals(tx: CommandTransaction): Promise<void> {
  const { db, conversation, session } = tx
  const own = await findPending(db, session.id)
  const elsewhere = await findPendingElsewhere(db, conversation.id, await otherAccounts(tx))
  const count = own.length + elsewhere.length
  if (count === 0) {
    return reply(tx, await sayNothingHere(tx, 'Nothing waits for an answer.'))
  }
  const lines: string[] = []
  const batches = new Set<string>()
  for (const approval of own) lines.push(await lineOf(tx, approval, batches))
  for (const approval of elsewhere) {
    const asker = await nameOf(db, approval.caller_id)
    lines.push(`${await lineOf(tx, approval, batches)}, asked for ${asker} elsewhere`)
  }
  const head = count === 1 ? 'One question waits:' : `${count} questions wait:`
  await reply(tx, [head, ...lines].join('\n'))
}

/** APPR-18: what was asked for somebody by another account of theirs is theirs to answer here, where nobody else reads. */
async function otherAccounts(tx: CommandTransaction): Promise<readonly string[]> {
  const { db, caller } = tx
  if (!(await isPrivate(tx))) return []
  return [...(await findAccounts(db, caller.id))].filter((id) => id !== caller.id)
}

async function lineOf(
  tx: CommandTransaction,
  approval: ApprovalRow,
  batches: Set<string>,
): Promise<string> {
  const { number, tool } = approval
  const { whoMayAnswer, votes } = readCard(approval)
  const count = votes === undefined ? '' : `, ${votes.by.length} of ${votes.people} approved`
  return `${number}  ${tool}: ${whoMayAnswer}${count}${await show(tx, approval, batches)}`
}

/**
 * Posts the card again, if it is not there just now; answers what is to be said about it. `batches`: those whose card was posted
 * for another of their questions.
 */
async function show(
  tx: CommandTransaction,
  known: ApprovalRow,
  batches: Set<string>,
): Promise<string> {
  const { db, conversation, receivedAt, caller } = tx
  // It goes out by itself when its diff has come; it was never wholly shown.
  if (known.card_outbox_id === null) return ', its diff is being made'
  if (!(await mayAnswer(db, known, caller))) return ''
  if (known.batch_id !== null && batches.has(known.batch_id)) return ''
  const since = new Date(receivedAt.getTime() - minuteMs)
  const copies = await countCopiesSince(db, known.id, conversation.id, since)
  if (copies >= mostCopies) return ', shown a moment ago'
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval?.state !== 'pending') return ''
  if (approval.batch_id !== null) batches.add(approval.batch_id)
  await postQuestion(tx, approval, conversation.id)
  return ''
}
