import { sql } from 'kysely'
import type { ApprovalBatchRow, ApprovalRow, Db } from '../schema.ts'

const isPending = sql<boolean>`approval.state = 'pending'`

/** Begins to ask questions together; they are its members once they name it. */
export async function insertBatch(
  db: Db,
  batch: Pick<ApprovalBatchRow, 'id' | 'session_id' | 'conversation_id'>,
): Promise<void> {
  await db.insertInto('approval_batch').values(batch).execute()
}

export function findQuestionBatch(db: Db, id: string): Promise<ApprovalBatchRow | undefined> {
  return db.selectFrom('approval_batch').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Its questions in order of their numbers, whatever became of them. */
export function findMembers(db: Db, batchId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('approval')
    .selectAll()
    .where('batch_id', '=', batchId)
    .orderBy('number')
    .execute()
}

/** What those of its questions are called that nobody has answered, in order. */
export function findWaitingMembers(
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

/** From now on each of its questions is asked by itself. */
export async function dissolveBatch(db: Db, id: string): Promise<void> {
  await db.updateTable('approval').set({ batch_id: null }).where('batch_id', '=', id).execute()
  await db.deleteFrom('approval_batch').where('id', '=', id).execute()
}

/** Batches that can be shown and were not: a question waits that nobody was shown, and none waits for what only a box can tell. */
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
