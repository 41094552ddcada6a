import { sql } from 'kysely'
import type { Db, ToolCallRow } from '../schema.ts'

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
