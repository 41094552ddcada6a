import type { Db } from '../schema.ts'

/** MODEL-02: true if people approved any call of this session that the model wrote as a block in its text. */
export async function hasApprovedText(db: Db, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('tool_call')
    .innerJoin('approval', 'approval.call_id', 'tool_call.id')
    .select('approval.id')
    .where('tool_call.session_id', '=', sessionId)
    .where('tool_call.in_text', '=', true)
    .where('approval.state', '=', 'approved')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
