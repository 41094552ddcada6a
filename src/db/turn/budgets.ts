import { sql } from 'kysely'
import type { BudgetUnit, Spent } from '../../domain/budget.ts'
import type { Db } from '../schema.ts'

/** Owner of a budget: `caller:<id>` or `session:<id>`. */
export type BudgetScope = `caller:${string}` | `session:${string}`

export type BudgetNote = 'lifted' | `warned ${BudgetUnit}`

const today = sql<string>`(now() at time zone 'utc')::date`
const dayBegan = sql<Date>`date_trunc('day', now(), 'UTC')`

/** Returns what a person or session has used since the start of the day (UTC). */
export async function sumSpent(db: Db, scope: BudgetScope): Promise<Spent> {
  const [kind, id] = partsOf(scope)
  const { toolCalls } = await db
    .selectFrom('tool_call')
    .innerJoin('turn', 'turn.id', 'tool_call.turn_id')
    .select(sql<number>`count(*)::int`.as('toolCalls'))
    .where(kind === 'caller' ? 'turn.caller_id' : 'tool_call.session_id', '=', id)
    .where('tool_call.created_at', '>=', dayBegan)
    // Calls that were refused before they reached a worker do not count.
    .where((eb) =>
      eb.or([
        eb('tool_call.settled_at', 'is', null),
        eb('tool_call.queued_at', 'is not', null),
        eb('tool_call.state', '=', 'succeeded'),
      ]),
    )
    .executeTakeFirstOrThrow()
  const { tokens, cost } = await db
    .selectFrom('usage')
    .select([
      sql<number>`coalesce(sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)), 0)::float8`.as(
        'tokens',
      ),
      sql<number>`coalesce(sum(cost_usd), 0)::float8`.as('cost'),
    ])
    .where(kind === 'caller' ? 'caller_id' : 'session_id', '=', id)
    .where('created_at', '>=', dayBegan)
    .executeTakeFirstOrThrow()
  return { toolCalls, tokens, cost }
}

function partsOf(scope: BudgetScope): readonly ['caller' | 'session', string] {
  return scope.startsWith('caller:')
    ? ['caller', scope.slice('caller:'.length)]
    : ['session', scope.slice('session:'.length)]
}

/** Returns who lifted the budget for today; undefined if nobody did. */
export async function findLift(db: Db, scope: BudgetScope): Promise<string | undefined> {
  const row = await db
    .selectFrom('budget_note')
    .select('noted_by')
    .where('scope', '=', scope)
    .where('day', '=', today)
    .where('kind', '=', 'lifted')
    .executeTakeFirst()
  return row?.noted_by ?? undefined
}

/** Records a note on today's budget; false if it was recorded before. Deletes notes older than a week. */
export async function recordBudgetNote(
  db: Db,
  scope: BudgetScope,
  kind: BudgetNote,
  by?: string,
): Promise<boolean> {
  await db.deleteFrom('budget_note').where('day', '<', sql<string>`${today} - 7`).execute()
  const row = await db
    .insertInto('budget_note')
    .values({ scope, day: today, kind, noted_by: by ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('kind')
    .executeTakeFirst()
  return row !== undefined
}
