import type { Selectable } from 'kysely'
import { auditKeysOf } from '../audit/audit-people.ts'
import type { Db } from '../schema.ts'
import type { AuditCallsView } from '../tables/audit.ts'

/** A call as the audit has it. */
export type AuditedCall = Pick<
  Selectable<AuditCallsView>,
  'at' | 'caller_id' | 'tool' | 'arguments' | 'verdict' | 'decided_by' | 'result' | 'duration_ms'
>

/** CHAT-03: the latest calls, the newest first; of these accounts alone where they are given. */
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
