import { sql } from 'kysely'
import type { Db } from '../schema.ts'

export interface FilterTotals {
  readonly full: number
  readonly partial: number
  readonly fallback: number
}

/** OUT-06: counts the outputs of a session by filter confidence. */
export async function countFiltered(db: Db, sessionId: string): Promise<FilterTotals> {
  const rows = await db
    .selectFrom('tool_call')
    .select(['filter_confidence', sql<string>`count(*)`.as('calls')])
    .where('session_id', '=', sessionId)
    .where('filter_confidence', 'is not', null)
    .groupBy('filter_confidence')
    .execute()
  const of = (confidence: keyof FilterTotals) =>
    Number(rows.find(({ filter_confidence }) => filter_confidence === confidence)?.calls ?? 0)
  return { full: of('full'), partial: of('partial'), fallback: of('fallback') }
}
