import { sql } from 'kysely'
import type { Db, TurnRow } from './schema.ts'

/** A result that a line could stand for, oldest first. */
export interface CompactableResult {
  readonly id: string
  readonly tool: string
  readonly result: string
}

/** As the transcript has it. */
const resultShown = sql<string>`coalesce(tool_call.summary, tool_call.result)`

/** LOOP-12: the results of a session that its model has seen already, and that are longer than `least` characters. */
export function findCompactable(
  db: Db,
  turn: Pick<TurnRow, 'id' | 'session_id' | 'step'>,
  least: number,
): Promise<CompactableResult[]> {
  return (
    db
      .selectFrom('tool_call')
      .innerJoin('message', 'message.id', 'tool_call.message_id')
      .select(['tool_call.id', 'tool_call.tool', resultShown.as('result')])
      .where('tool_call.session_id', '=', turn.session_id)
      .where('tool_call.compacted', 'is', null)
      .where(sql<number>`length(${resultShown})`, '>', least)
      // The batch that this step is about to show for the first time.
      .where((eb) =>
        eb.or([
          eb('tool_call.turn_id', '!=', turn.id),
          eb('tool_call.step', '<', eb.lit(turn.step - 1)),
        ]),
      )
      .orderBy('message.position')
      .orderBy('tool_call.ordinal')
      .execute()
  )
}

/** From now on the transcript holds `line` in the place of the call's result, which stays with the call. */
export async function compactResult(db: Db, callId: string, line: string): Promise<void> {
  await db.updateTable('tool_call').set({ compacted: line }).where('id', '=', callId).execute()
}

/** The session's last prompt of which the provider told how many tokens it had. */
export function findMeasuredPrompt(
  db: Db,
  sessionId: string,
  model: string,
): Promise<{ readonly bytes: number; readonly tokens: number } | undefined> {
  return db
    .selectFrom('usage')
    .select([sql<number>`prompt_bytes`.as('bytes'), sql<number>`input_tokens`.as('tokens')])
    .where('session_id', '=', sessionId)
    .where('model', '=', model)
    .where('state', '=', 'done')
    .where('prompt_bytes', '>', 0)
    .where('input_tokens', '>', 0)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
