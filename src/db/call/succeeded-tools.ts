import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** SCH-03: returns which of these tools have succeeded in a session, for any caller. Commands must have exited with code 0. */
export async function findSucceededTools(
  db: Db,
  sessionId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectFrom('tool_call')
    .select('tool')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('succeeded'))
    .where((eb) => eb.or([eb('envelope', 'is', null), eb('exit_code', '=', 0)]))
    .where('tool', 'in', names)
    .execute()
  return new Set(rows.map(({ tool }) => tool))
}
