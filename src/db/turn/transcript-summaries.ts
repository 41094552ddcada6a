import type { Insertable } from 'kysely'
import type { Db, TranscriptSummaryRow } from '../schema.ts'
import type { TranscriptSummaryTable } from '../tables/conversations.ts'

/** LOOP-12: returns the summary at the start of a session's transcript; undefined if nothing was summarised. */
export function findSummary(db: Db, sessionId: string): Promise<TranscriptSummaryRow | undefined> {
  return selectSummary(db, sessionId).selectAll().executeTakeFirst()
}

/** The same, to be part of a statement. */
export function selectSummary(db: Db, sessionId: string) {
  return db
    .selectFrom('transcript_summary')
    .where('session_id', '=', sessionId)
    .orderBy('to_position', 'desc')
    .limit(1)
}

/** Returns a summary of a session by its id. */
export function findSummaryById(
  db: Db,
  sessionId: string,
  id: string,
): Promise<TranscriptSummaryRow | undefined> {
  return db
    .selectFrom('transcript_summary')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Stores a summary; false if these messages already have one, which is kept. */
export async function insertSummary(
  db: Db,
  summary: Insertable<TranscriptSummaryTable>,
): Promise<boolean> {
  const row = await db
    .insertInto('transcript_summary')
    .values(summary)
    .onConflict((conflict) => conflict.columns(['session_id', 'to_position']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
