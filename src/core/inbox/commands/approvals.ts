import { findPending } from '../../../db/approvals.ts'
import { countCopiesSince } from '../../../db/card-copies.ts'
import type { ApprovalRow } from '../../../db/schema.ts'
import { postCard } from '../../outbox/cards.ts'
import { type CommandContext, reply } from './command.ts'

/** So many copies a minute are enough: every one is edited at every change. */
const mostCopies = 3
const minuteMs = 60_000

/** APPR-09: lists what waits, and posts each card again. */
export async function approvals(context: CommandContext): Promise<void> {
  const pending = await findPending(context.db, context.session.id)
  if (pending.length === 0) return reply(context, 'Nothing waits for an answer.')
  const lines: string[] = []
  for (const approval of pending) {
    lines.push(`${approval.number}  ${approval.tool}${await show(context, approval)}`)
  }
  const head = pending.length === 1 ? 'One question waits:' : `${pending.length} questions wait:`
  await reply(context, [head, ...lines].join('\n'))
}

/** Posts the card again, if it is not there just now; answers what is to be said about it. */
async function show(
  { db, after, receivedAt }: CommandContext,
  approval: ApprovalRow,
): Promise<string> {
  // It goes out by itself when its diff has come; it was never wholly shown.
  if (approval.card_outbox_id === null) return ', its diff is being made'
  const since = new Date(receivedAt.getTime() - minuteMs)
  const copies = await countCopiesSince(db, approval.id, since)
  if (copies >= mostCopies) return ', shown a moment ago'
  await postCard(db, after, approval)
  return ''
}
