import type { Db } from './schema.ts'

/** Whether a turn of the session has ended at that moment or later. */
export async function hasTurnEndedSince(db: Db, sessionId: string, moment: Date): Promise<boolean> {
  const ended = await db
    .selectFrom('turn')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('ended_at', '>=', moment)
    .limit(1)
    .executeTakeFirst()
  return ended !== undefined
}
