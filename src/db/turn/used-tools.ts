import type { Db } from '../schema.ts'

/** SCH-02: returns the tool names that the model has called in a session. */
export async function findUsedTools(db: Db, sessionId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('tool_call')
    .select('tool')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('message_id', 'is not', null)
    .execute()
  return new Set(rows.map(({ tool }) => tool))
}
