import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/**
 * LOOP-11: returns the model's calls in the last `steps` steps of a turn, in order, with results for the last `results`
 * steps. Calls before the last message of a person are excluded.
 */
export function findRecentCalls(
  db: Db,
  turn: { readonly id: string; readonly step: number },
  last: { readonly steps: number; readonly results: number },
) {
  const oldestResult = turn.step - last.results
  return db
    .selectFrom('tool_call')
    .innerJoin('message', 'message.id', 'tool_call.message_id')
    .select([
      'tool_call.step',
      'tool_call.tool',
      sql<string>`coalesce(original_arguments, arguments)`.as('arguments'),
      sql<string | null>`case when step > ${oldestResult} then result end`.as('result'),
      sql<boolean>`coalesce(is_error, false)`.as('isError'),
    ])
    .where('tool_call.turn_id', '=', turn.id)
    .where('tool_call.step', '>', turn.step - last.steps)
    .where(
      'message.position',
      '>',
      sql<number>`coalesce((
        select max(position) from message said
        where said.turn_id = ${turn.id} and said.role = 'user'), -1)`,
    )
    .orderBy('tool_call.step')
    .orderBy('tool_call.ordinal')
    .execute()
}

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
