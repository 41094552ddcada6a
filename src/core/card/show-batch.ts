import {
  dissolveBatch,
  findApprovalBatch,
  findMembers,
  findReadyBatches,
  saveBatchFile,
} from '../../db/approval/approval-batches.ts'
import type { ApprovalRow } from '../../db/schema.ts'
import { lockSession } from '../../db/turn/sessions.ts'
import { makeTurnDue } from '../../db/turn/turns.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { attempt, type Transaction, transact } from '../transaction.ts'
import { packBatch } from './batch-card.ts'
import { packCard } from './card-file.ts'
import { readCard } from './read-card.ts'
import { routeBatch, routeCard } from './route-card.ts'

/**
 * APPR-10: posts a batch card once all its previews have arrived; idempotent. If the text exceeds a file's limit, posts single
 * cards. Call under the session's lock.
 */
export async function showBatch(tx: Transaction, batchId: string): Promise<void> {
  const isReady = (await findReadyBatches(tx.db, batchId)).length > 0
  if (!isReady) return
  const members = await findMembers(tx.db, batchId)
  const batch = await findApprovalBatch(tx.db, batchId)
  if (batch === undefined) return
  const file = await packBatch(tx, batch.conversation_id, members.map(readCard))
  if (file === 'too_large') return showEach(tx, batchId, members)
  if (file !== 'fits') await saveBatchFile(tx.db, batchId, JSON.stringify(file))
  await routeBatch(tx, members)
}

/** Shows ready batches that were left behind because the last preview they waited for failed. */
export async function showReadyBatches(ctx: CoreContext): Promise<void> {
  for (const id of await findReadyBatches(ctx.db)) {
    await attempt(ctx, 'show approval batches', () =>
      transact(ctx, async (tx) => {
        const batch = await findApprovalBatch(tx.db, id)
        if (batch === undefined) return
        await lockSession(tx.db, batch.session_id)
        await showBatch(tx, id)
        const [first] = await findMembers(tx.db, id)
        const due = first === undefined ? undefined : await makeTurnDue(tx.db, first.turn_id)
        if (due !== undefined) tx.effects.wakeTurn(due)
      }),
    )
  }
}

async function showEach(
  tx: Transaction,
  batchId: string,
  members: readonly ApprovalRow[],
): Promise<void> {
  await dissolveBatch(tx.db, batchId)
  for (const approval of members) {
    if (approval.state !== 'pending') continue
    await showCard(tx, { ...approval, batch_id: null })
  }
}

/** Posts an approval's card for the first time; text that does not fit a message goes into a file. */
export async function showCard(tx: Transaction, approval: ApprovalRow): Promise<void> {
  const card = await packCard(tx, approval.conversation_id, readCard(approval))
  await routeCard(tx, { ...approval, card: toStorable(JSON.stringify(card)) })
}
