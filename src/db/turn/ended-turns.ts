import { sql } from 'kysely'
import type { Db } from '../schema.ts'

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

/**
 * Whether the last turn of one of the conversation's sessions failed, at or after a moment that `readMoment` gave. A turn that failed
 * before it does not count: its message stayed in the transcript, and the next turn, of `/retry` or not, went on from there.
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
