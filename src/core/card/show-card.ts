import type { ApprovalRow, Db } from '../../db/schema.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import { packCard } from './card-file.ts'
import { readCard } from './read-card.ts'
import { routeCard } from './route-card.ts'

/** Posts a question's card wherever it shall be shown, for the first time; what a message has no room for goes into a file. */
export async function showCard(
  kernel: Kernel,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
): Promise<void> {
  const card = await packCard(db, approval.conversation_id, readCard(approval))
  await routeCard(kernel, db, after, { ...approval, card: toStorable(JSON.stringify(card)) })
}
