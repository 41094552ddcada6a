import { findPending } from '../../../db/approval/approvals.ts'
import { endReasonWait } from '../../../db/approval/due-approvals.ts'
import type { ApprovalRow, SessionRow } from '../../../db/schema.ts'
import type { Caller } from '../../../domain/caller.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { editCard } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import type { Transaction } from '../../transaction.ts'
import { type Decided, describeState, lockApproval, settleDenial } from './settle-decision.ts'

/** UTF-16 units; longer reasons are cut. */
export const longestReason = 4_000

/**
 * Settles a denial that waits for its reason, with or without one. Returns false if it no longer waits. Call under the session's
 * lock, for the person who denied it.
 */
export async function giveReason(
  tx: Transaction,
  approval: ApprovalRow,
  words: string | undefined,
): Promise<boolean> {
  const reason = shorten(toStorable(words?.trim() ?? ''), longestReason)
  const said = reason === '' ? {} : { reason }
  const ended = await endReasonWait(tx.db, approval.id, { onlyOpen: true, ...said })
  if (ended === undefined) return false
  await settleDenial(tx, ended)
  return true
}

/**
 * TG-03: stores the reason for a denial, or undefined for none, within the time shown on the card. Other people are told who
 * denied it. Takes the session's lock first.
 */
export async function explain(
  tx: Transaction,
  known: ApprovalRow,
  by: Caller,
  reason: string | undefined,
): Promise<Decided> {
  const locked = await lockApproval(tx.ctx, tx.db, known, by)
  if (locked.kind === 'refused') return locked.decided
  const { approval } = locked
  const given = approval.decided_by === by.id && (await giveReason(tx, approval, reason))
  if (!given) return { kind: 'late', text: await describeState(tx, approval) }
  const { denied, deniedWithReason } = tx.ctx.messages.approvals
  return { kind: 'applied', text: reason === undefined ? denied : deniedWithReason }
}

/** CHAT-08: counts, on each pending card, the messages the turn's caller sent meanwhile. Call under the session's lock. */
export async function noteKept(tx: Transaction, session: Pick<SessionRow, 'id'>): Promise<void> {
  for (const approval of await findPending(tx.db, session.id)) {
    const kept = readCard(approval).messagesKept ?? 0
    await editCard(tx, approval, { messagesKept: kept + 1 })
  }
}
