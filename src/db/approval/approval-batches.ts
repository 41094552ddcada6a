import { sql } from 'kysely'
import type { ApprovalBatchRow, ApprovalRow, Db } from '../schema.ts'

const isPending = sql<boolean>`approval.state = 'pending'`

/** Inserts a batch of approvals; approvals join it by their `batch_id`. */
export async function insertBatch(
  db: Db,
  batch: Pick<ApprovalBatchRow, 'id' | 'session_id' | 'conversation_id'>,
): Promise<void> {
  await db.insertInto('approval_batch').values(batch).execute()
}

export function findApprovalBatch(db: Db, id: string): Promise<ApprovalBatchRow | undefined> {
  return db.selectFrom('approval_batch').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns all approvals of a batch, ordered by number. */
export function findMembers(db: Db, batchId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('batch_id', '=', batchId)
    .orderBy('number')
    .execute()
}

/** Returns number and tool of the batch's pending approvals, ordered by number. */
export function findPendingMembers(
  db: Db,
  batchId: string,
): Promise<Pick<ApprovalRow, 'number' | 'tool'>[]> {
  return db
    .selectFrom('approval')
    .select(['number', 'tool'])
    .where('batch_id', '=', batchId)
    .where(isPending)
    .orderBy('number')
    .execute()
}

export async function saveBatchFile(db: Db, id: string, file: string): Promise<void> {
  await db.updateTable('approval_batch').set({ file }).where('id', '=', id).execute()
}

/** Deletes the batch; its approvals are shown on cards of their own from now on. */
export async function dissolveBatch(db: Db, id: string): Promise<void> {
  await db.updateTable('approval').set({ batch_id: null }).where('batch_id', '=', id).execute()
  await db.deleteFrom('approval_batch').where('id', '=', id).execute()
}

/**
 * Returns ids of batches that are ready to be shown: some pending approval has no card yet, and no call still waits for
 * its preview.
 */
export async function findReadyBatches(db: Db, id?: string): Promise<string[]> {
  const rows = await db
    .selectFrom('approval')
    .innerJoin('tool_call', 'tool_call.id', 'approval.call_id')
    .select('approval.batch_id as id')
    .where('approval.batch_id', 'is not', null)
    .where(isPending)
    .$if(id !== undefined, (query) => query.where('approval.batch_id', '=', id ?? ''))
    .groupBy('approval.batch_id')
    .having(sql<boolean>`bool_or(approval.card_outbox_id is null)`)
    .having(sql<boolean>`bool_and(tool_call.preview is distinct from 'wanted')`)
    .execute()
  return rows.flatMap(({ id: ready }) => ready ?? [])
}
