import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** True if a turn of the session ended at `moment` or later. */
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

/** Returns the database's time as text with microseconds. */
export async function readDatabaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ moment: string }>`select now()::text as moment`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('the database told no time')
  return row.moment
}

/**
 * True if the last turn of one of the conversation's sessions failed at or after `moment`, as returned by `readMoment`.
 * Earlier failures do not count: their message stayed in the transcript and a later turn continued from it.
 */
export async function hasEndedInFailure(
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
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('turn as later')
            .select('later.id')
            .whereRef('later.session_id', '=', 'turn.session_id')
            .whereRef('later.created_at', '>', 'turn.created_at'),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return failed !== undefined
}
