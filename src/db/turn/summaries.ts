import { type Insertable, sql } from 'kysely'
import type { Db, ToolCallRow, TranscriptSummaryRow } from '../schema.ts'
import type { TranscriptSummaryTable } from '../tables/conversations.ts'

/** OUT-13: returns calls of a turn whose output still needs a summary. */
export function findUnsummarised(db: Db, turnId: string): Promise<ToolCallRow[]> {
  return db
    .selectFrom('tool_call')
    .selectAll()
    .where('turn_id', '=', turnId)
    .where('summary_state', '=', sql.lit('wanted'))
    .orderBy('number')
    .execute()
}

/**
 * OUT-13: stores the summary of a call and of all calls with the same cached result (OUT-11); undefined if none could be
 * made.
 */
export async function settleSummary(
  db: Db,
  call: Pick<ToolCallRow, 'id' | 'session_id' | 'cached_from'>,
  summary: string | undefined,
): Promise<void> {
  const owner = call.cached_from ?? call.id
  await db
    .updateTable('tool_call')
    .set({ summary: summary ?? null, summary_state: summary === undefined ? 'failed' : 'done' })
    .where('session_id', '=', call.session_id)
    .where('summary_state', '=', sql.lit('wanted'))
    .where((eb) => eb.or([eb('id', '=', owner), eb('cached_from', '=', owner)]))
    .execute()
}

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
