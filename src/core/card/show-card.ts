import type { ApprovalRow, Db } from '../../db/schema.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import type { Effects } from '../transaction.ts'
import { packCard } from './card-file.ts'
import { readCard } from './read-card.ts'
import { routeCard } from './route-card.ts'

/** Posts a question's card wherever it shall be shown, for the first time; what a message has no room for goes into a file. */
export async function showCard(
  ctx: CoreContext,
  db: Db,
  after: Effects,
  approval: ApprovalRow,
): Promise<void> {
  const card = await packCard(db, approval.conversation_id, readCard(approval))
  await routeCard(ctx, db, after, { ...approval, card: toStorable(JSON.stringify(card)) })
}
