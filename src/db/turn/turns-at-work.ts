import { sql } from 'kysely'
import { atWorker } from '../call/call-conditions.ts'
import { literals } from '../literals.ts'
import type { Db, TurnRow } from '../schema.ts'

/** SQL condition on `turn`: only approvals are left, and no worker is running anything or preparing a preview. */
export const waitsForPeople = sql<boolean>`(turn.state = 'acting'
  and exists (
    select from tool_call where turn_id = turn.id and tool_call.state = 'awaiting_approval')
  and not exists (
    select from tool_call where turn_id = turn.id and (tool_call.state in (${sql.join(atWorker)})
      or (tool_call.state = 'awaiting_approval' and preview = 'wanted'))))`

/** True if a turn is in progress at this epoch. */
export async function isAtWork(db: Db, id: string, epoch: number): Promise<boolean> {
  const row = await db
    .selectFrom('turn')
    .select('id')
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('state', 'in', literals(['thinking', 'acting']))
    .where((eb) => eb.not(waitsForPeople))
    .executeTakeFirst()
  return row !== undefined
}

/** Makes the live turn of a session due if it is acting. */
export function makeLiveTurnDue(db: Db, sessionId: string): Promise<TurnRow | undefined> {
  return db
    .updateTable('turn')
    .set({ next_due: sql<Date>`now()` })
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('acting'))
    .returningAll()
    .executeTakeFirst()
}
