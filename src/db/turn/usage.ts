import { sql } from 'kysely'
import type { Usage } from '../../domain/message.ts'
import { newId } from '../../util/ids.ts'
import type { Db, TurnRow } from '../schema.ts'

/**
 * Records the start of a turn's model call, so that a lost answer is visible (INT-30); returns its id. `prompt`: size and
 * budget of the turn's own prompt (LOOP-12); other calls do not count for the ratio of bytes to tokens.
 */
export async function startUsage(
  db: Db,
  turn: TurnRow,
  model: { readonly provider: string; readonly name: string },
  prompt: { readonly bytes: number; readonly budget?: number | undefined } = { bytes: 0 },
): Promise<string> {
  const id = newId()
  await db
    .insertInto('usage')
    .values({
      id,
      session_id: turn.session_id,
      turn_id: turn.id,
      caller_id: turn.caller_id,
      step: turn.step,
      provider: model.provider,
      model: model.name,
      prompt_bytes: prompt.bytes,
      budget_tokens: prompt.budget ?? null,
      state: 'started',
    })
    .execute()
  return id
}

export async function endUsage(
  db: Db,
  id: string,
  state: 'done' | 'failed' | 'superseded',
  usage?: Usage,
  costUsd?: number,
): Promise<void> {
  await db
    .updateTable('usage')
    .set({
      state,
      input_tokens: usage?.inputTokens ?? null,
      output_tokens: usage?.outputTokens ?? null,
      cache_read_tokens: usage?.cacheReadTokens ?? null,
      cache_write_tokens: usage?.cacheWriteTokens ?? null,
      cost_usd: costUsd ?? null,
    })
    .where('id', '=', id)
    .execute()
}

export interface UsageTotals {
  readonly input: number
  readonly output: number
  readonly cached: number
  readonly costUsd: number
}

/** Sums the usage of a session's model calls. */
export async function sumUsage(db: Db, sessionId: string): Promise<UsageTotals> {
  const row = await db
    .selectFrom('usage')
    .select([
      sql<number>`coalesce(sum(input_tokens), 0)::float8`.as('input'),
      sql<number>`coalesce(sum(output_tokens), 0)::float8`.as('output'),
      sql<number>`coalesce(sum(cache_read_tokens), 0)::float8`.as('cached'),
      sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('costUsd'),
    ])
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow()
  return row
}
