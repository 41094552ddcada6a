import { sql } from 'kysely'
import { atWorker } from '../call/call-conditions.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

/**
 * Nothing is left of it but what people are asked: no worker has anything of it, to run or to show on a card first. A condition
 * on `turn`.
 */
export const waitsForPeople = sql<boolean>`(turn.state = 'acting'
  and exists (
    select from tool_call where turn_id = turn.id and tool_call.state = 'awaiting_approval')
  and not exists (
    select from tool_call where turn_id = turn.id and (tool_call.state in (${sql.join(atWorker)})
      or (tool_call.state = 'awaiting_approval' and preview = 'wanted'))))`

/** Whether a turn is worked on, under this epoch. */
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
