import type { Selectable } from 'kysely'
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
