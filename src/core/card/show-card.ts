import type { ApprovalRow } from '../../db/schema.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Transaction } from '../transaction.ts'
import { packCard } from './card-file.ts'
import { readCard } from './read-card.ts'
import { routeCard } from './route-card.ts'

/** Posts a question's card wherever it shall be shown, for the first time; what a message has no room for goes into a file. */
export async function showCard(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const card = await packCard(tx.db, approval.conversation_id, readCard(approval))
  await routeCard(tx, { ...approval, card: toStorable(JSON.stringify(card)) })
}
