import { findApproval, findPending } from '../../../db/approval/approvals.ts'
import { countCopiesSince, findPendingElsewhere } from '../../../db/approval/card-copies.ts'
import { findAccounts } from '../../../db/people/caller-links.ts'
import { nameOf } from '../../../db/people/callers.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { lockSession } from '../../../db/turn/sessions.ts'
import { mayAnswer } from '../../approval/decide/settle-decision.ts'
import { postApproval } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import { type CommandTransaction, reply } from './command.ts'
import { isPrivate, withThreadHint } from './is-private.ts'

/** Maximum copies of a card in a minute, since every copy is edited at every change. */
const mostCopies = 3
const minuteMs = 60_000

/**
 * APPR-09: lists pending approvals (requested here, shown here, or requested by another account of the caller) with who may
 * answer, and posts each card again if the caller may answer it.
 */
export async function approvals(tx: CommandTransaction): Promise<void> {
  const { ctx, db, conversation, session } = tx
  const messages = ctx.messages.approvals
  const own = await findPending(db, session.id)
  const elsewhere = await findPendingElsewhere(db, conversation.id, await otherAccounts(tx))
  const count = own.length + elsewhere.length
  if (count === 0) {
    return reply(tx, await withThreadHint(tx, messages.nothingWaits))
  }
  const lines: string[] = []
  const batches = new Set<string>()
  for (const approval of own) lines.push(await lineOf(tx, approval, batches))
  for (const approval of elsewhere) {
    const requester = await nameOf(db, approval.caller_id)
    const where = messages.askedElsewhere({ requester })
    lines.push(`${await lineOf(tx, approval, batches)}, ${where}`)
  }
  await reply(tx, [messages.waiting({ count }), ...lines].join('\n'))
}

/** APPR-18: returns the caller's other accounts, whose approvals they may answer here if nobody else reads it. */
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
  const shown = await show(tx, approval, batches)
  const parts = [
    whoMayAnswer,
    ...(votes === undefined
      ? []
      : [tx.ctx.messages.approvals.votes({ approved: votes.by.length, people: votes.people })]),
    ...(shown === undefined ? [] : [shown]),
  ]
  return `${number}  ${tool}: ${parts.join(', ')}`
}

/** Posts the card again unless it was shown just now; returns a remark for the list. `batches`: batch cards already posted. */
async function show(
  tx: CommandTransaction,
  known: ApprovalRow,
  batches: Set<string>,
): Promise<string | undefined> {
  const { ctx, db, conversation, receivedAt, caller } = tx
  const messages = ctx.messages.approvals
  // It is posted once its preview has arrived; until then it was never fully shown.
  if (known.card_outbox_id === null) return messages.diffPending
  if (!(await mayAnswer(db, known, caller))) return undefined
  if (known.batch_id !== null && batches.has(known.batch_id)) return undefined
  const since = new Date(receivedAt.getTime() - minuteMs)
  const copies = await countCopiesSince(db, known.id, conversation.id, since)
  if (copies >= mostCopies) return messages.shownJustNow
  await lockSession(db, known.session_id)
  const approval = await findApproval(db, known.id)
  if (approval?.state !== 'pending') return undefined
  if (approval.batch_id !== null) batches.add(approval.batch_id)
  await postApproval(tx, approval, conversation.id)
  return undefined
}
