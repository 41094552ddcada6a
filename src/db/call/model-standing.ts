import { sql } from 'kysely'
import { qualityFailures } from '../../domain/tool/tool-error.ts'
import type { ToolUse } from '../../domain/tool-reliability.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

/** Rows of one model and tool: each connection counts in one of them. */
const parts = 64
const qualities = sql.join(literals(qualityFailures))

/** How a model has used a tool so far. */
export interface ModelStanding extends ToolUse {
  readonly model: string
  readonly tool: string
  readonly lastCategory: string | null
  readonly lastFailureAt: Date | null
}

/** In the place of names that no tool has: models make up any number of them. */
const unknownTool = '(unknown)'

/**
 * ERR-06: counts the calls of a turn that this very transaction has settled, for the model that asked for them; what a
 * person changed says nothing of the model. One statement, its rows in order; call it last, under the session's lock.
 */
export async function countStanding(db: Db, turnId: string): Promise<void> {
  await sql`
    insert into model_standing as known
      (model, tool, part, successes, quality_failures, last_category, last_failure_at)
    select m.author,
      case c.error_category when 'tool_not_found' then ${unknownTool} else c.tool end,
      (pg_backend_pid() % ${parts}::int)::smallint,
      count(*) filter (where c.state = 'succeeded'),
      count(*) filter (where c.error_category in (${qualities})),
      max(c.error_category) filter (where c.error_category in (${qualities})),
      max(c.settled_at) filter (where c.error_category in (${qualities}))
    from tool_call c join message m on m.id = c.message_id
    where c.turn_id = ${turnId} and c.settled_at = now() and c.edited_by is null
      and (c.state = 'succeeded' or c.error_category in (${qualities}))
    group by 1, 2
    order by 1, 2
    on conflict (model, tool, part) do update set
      successes = known.successes + excluded.successes,
      quality_failures = known.quality_failures + excluded.quality_failures,
      last_category = coalesce(excluded.last_category, known.last_category),
      last_failure_at = coalesce(excluded.last_failure_at, known.last_failure_at)`.execute(db)
}

/** Every model with every tool that it has called, by name. */
export async function findStandings(db: Db): Promise<readonly ModelStanding[]> {
  const { rows } = await sql<ModelStanding>`
    select model, tool, sum(successes)::int8 as successes,
      sum(quality_failures)::int8 as "qualityFailures",
      (array_agg(last_category order by last_failure_at desc nulls last))[1] as "lastCategory",
      max(last_failure_at) as "lastFailureAt"
    from model_standing
    group by model, tool
    order by model, tool`.execute(db)
  return rows
}
