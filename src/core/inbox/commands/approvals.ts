import { findPending } from '../../../db/approvals.ts'
import { postCard } from '../../outbox/cards.ts'
import { type CommandContext, reply } from './command.ts'

/** APPR-09: lists what waits, and posts each card again. */
export async function approvals(context: CommandContext): Promise<void> {
  const pending = await findPending(context.db, context.session.id)
  if (pending.length === 0) return reply(context, 'Nothing waits for an answer.')
  for (const approval of pending) {
    // A card that still waits for its diff goes out by itself; it was never wholly shown.
    if (approval.card_outbox_id !== null) await postCard(context.db, context.after, approval)
  }
}
