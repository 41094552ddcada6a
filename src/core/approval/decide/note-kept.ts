import { findPending } from '../../../db/approval/approvals.ts'
import type { SessionRow } from '../../../db/schema.ts'
import { editCard } from '../../card/cards.ts'
import { readCard } from '../../card/read-card.ts'
import type { Transaction } from '../../transaction.ts'

/**
 * CHAT-08: a message of the turn's caller came while questions wait: each card says that it was kept, and that the card
 * still waits. Call under the session's lock.
 */
export async function noteKept(tx: Transaction, session: Pick<SessionRow, 'id'>): Promise<void> {
  for (const approval of await findPending(tx.db, session.id)) {
    const kept = readCard(approval).messagesKept ?? 0
    await editCard(tx, approval, { messagesKept: kept + 1 })
  }
}
