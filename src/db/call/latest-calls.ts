import { type Selectable, sql } from 'kysely'
import { auditKeysOf } from '../audit/audit-people.ts'
import type { Db } from '../schema.ts'
import type { AuditCallsView } from '../tables/audit.ts'

/** Call as recorded in the audit. */
export type AuditedCall = Pick<
  Selectable<AuditCallsView>,
  'at' | 'caller_id' | 'tool' | 'arguments' | 'verdict' | 'decided_by' | 'result' | 'duration_ms'
>

/** CHAT-03: returns the latest calls, newest first, optionally only of `accounts`. */
export function findLatestCalls(
  db: Db,
  limit: number,
  accounts?: ReadonlySet<string>,
): Promise<AuditedCall[]> {
  const all = db
    .selectFrom('audit_calls')
    .select([
      'at',
      'caller_id',
      'tool',
      'arguments',
      'verdict',
      'decided_by',
      'result',
      'duration_ms',
    ])
    .orderBy('at', 'desc')
    .limit(limit)
  return (
    accounts === undefined ? all : all.where('caller_key', '=', auditKeysOf([...accounts]))
  ).execute()
}

interface FilterTotals {
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

/** SCH-02: stores the tools that a turn shows from its next step on. Call under the session's lock. */
export async function saveShownTools(db: Db, id: string, shown: string): Promise<void> {
  await db.updateTable('turn').set({ shown_tools: shown }).where('id', '=', id).execute()
}
