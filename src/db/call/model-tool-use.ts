import { sql } from 'kysely'
import { qualityFailures } from '../../domain/tool/tool-error.ts'
import type { ToolUse } from '../../domain/trust.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

const qualityNames = literals(qualityFailures)

/** Rows for each model and tool. Counters are spread by connection to avoid contention. */
const parts = 64

const qualities = sql.join(literals(qualityFailures))

/** Usage of a tool by a model. */
export interface ModelToolUse extends ToolUse {
  readonly model: string
  readonly tool: string
  readonly lastCategory: string | null
  readonly lastFailureAt: Date | null
}

/** Replaces unknown tool names, of which models can invent any number. */
const unknownTool = '(unknown)'

/**
 * ERR-06: counts the calls of a turn that this transaction settled, for the model that requested them, except calls
 * edited by a person. Rows are written in order by one statement. Call it last, under the session's lock.
 */
export async function countToolUse(db: Db, turnId: string): Promise<void> {
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

/** Returns all model and tool pairs, ordered by name. */
export async function findToolUse(db: Db): Promise<readonly ModelToolUse[]> {
  const { rows } = await sql<ModelToolUse>`
    select model, tool, sum(successes)::int8 as successes,
      sum(quality_failures)::int8 as "qualityFailures",
      (array_agg(last_category order by last_failure_at desc nulls last))[1] as "lastCategory",
      max(last_failure_at) as "lastFailureAt"
    from model_standing
    group by model, tool
    order by model, tool`.execute(db)
  return rows
}

/** ERR-04: returns tool names with which a turn's calls failed because of the model's own mistakes. */
export async function findMisusedTools(db: Db, turnId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('tool_call')
    .select('tool')
    .distinct()
    .where('turn_id', '=', turnId)
    .where('error_category', 'in', qualityNames)
    .where('edited_by', 'is', null)
    .execute()
  return new Set(rows.map(({ tool }) => tool))
}

/** SCH-03: returns which of these tools have succeeded in a session, for any caller. Commands must have exited with code 0. */
export async function findSucceededTools(
  db: Db,
  sessionId: string,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await db
    .selectFrom('tool_call')
    .select('tool')
    .distinct()
    .where('session_id', '=', sessionId)
    .where('state', '=', sql.lit('succeeded'))
    .where((eb) => eb.or([eb('envelope', 'is', null), eb('exit_code', '=', 0)]))
    .where('tool', 'in', names)
    .execute()
  return new Set(rows.map(({ tool }) => tool))
}
