import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { ToolOverflowTable } from '../tables/calls.ts'

export async function insertOverflow(
  db: Db,
  entry: Pick<ToolOverflowTable, 'id' | 'content' | 'kind'> & { sessionId: string; callId: string },
): Promise<void> {
  await db
    .insertInto('tool_overflow')
    .values({
      id: entry.id,
      session_id: entry.sessionId,
      call_id: entry.callId,
      content: entry.content,
      kind: entry.kind,
      characters: entry.content.length,
    })
    .execute()
}

/** Returns an entry of this session that has not expired. */
export async function findOverflow(
  db: Db,
  sessionId: string,
  id: string,
  retentionDays: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('tool_overflow')
    .select('content')
    .where('id', '=', id)
    .where('session_id', '=', sessionId)
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${retentionDays})`)
    .executeTakeFirst()
  return row?.content
}

/** Returns the full output of a call while it is kept; not the entries that shortened the transcript (LOOP-12). */
export async function findOverflowOfCall(
  db: Db,
  callId: string,
  retentionDays: number,
): Promise<{ readonly id: string; readonly content: string } | undefined> {
  return db
    .selectFrom('tool_overflow')
    .select(['id', 'content'])
    .where('call_id', '=', callId)
    .where('kind', '=', sql.lit('whole'))
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${retentionDays})`)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
}

/** Deletes entries older than `retentionDays`; returns their number. */
export async function deleteOldOverflow(db: Db, retentionDays: number): Promise<number> {
  const result = await db
    .deleteFrom('tool_overflow')
    .where('created_at', '<=', sql<Date>`now() - make_interval(days => ${retentionDays})`)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
