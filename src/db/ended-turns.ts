import { sql } from 'kysely'
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

/** The database's time now, as text that keeps its microseconds. */
export async function readMoment(db: Db): Promise<string> {
  const { rows } = await sql<{ moment: string }>`select now()::text as moment`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database told no time')
  return row.moment
}

/** Whether a turn of the conversation has failed since a moment that `readMoment` gave. */
export async function hasTurnFailedSince(
  db: Db,
  conversationId: string,
  moment: string,
): Promise<boolean> {
  const failed = await db
    .selectFrom('turn')
    .innerJoin('session', 'session.id', 'turn.session_id')
    .select('turn.id')
    .where('session.conversation_id', '=', conversationId)
    .where('turn.state', '=', 'failed')
    .where('turn.ended_at', '>=', sql<Date>`${moment}::timestamptz`)
    .limit(1)
    .executeTakeFirst()
  return failed !== undefined
}
