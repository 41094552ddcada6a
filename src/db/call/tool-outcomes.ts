import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** The last executions of a tool. */
export interface Window {
  readonly executions: number
  readonly failed: number
}

/**
 * Adds an execution, and drops those before the last `size`, at most 100 at a time, so that the table stays small; one that
 * another transaction drops just now is left to it. Waits for nobody.
 */
export async function addOutcome(
  db: Db,
  tool: string,
  failed: boolean,
  size: number,
): Promise<void> {
  await sql`
    with added as (insert into tool_outcome (tool, failed) values (${tool}, ${failed}))
    delete from tool_outcome where tool = ${tool} and id in (
      select id from tool_outcome
      where tool = ${tool} and id <= (
        select id from tool_outcome where tool = ${tool} order by id desc offset ${size} limit 1)
      order by id limit 100 for update skip locked)`.execute(db)
}

export async function countWindow(db: Db, tool: string, size: number): Promise<Window> {
  const { rows } = await sql<Window>`
    select count(*) as executions, count(*) filter (where failed) as failed
    from (
      select failed from tool_outcome where tool = ${tool} order by id desc limit ${size}
    ) as recent`.execute(db)
  return rows[0] ?? { executions: 0, failed: 0 }
}

/** False: it had begun already. */
export async function beginIncident(db: Db, tool: string, window: Window): Promise<boolean> {
  const begun = await db
    .insertInto('tool_incident')
    .values({ tool, ...window })
    .onConflict((conflict) => conflict.doNothing())
    .returning('tool')
    .executeTakeFirst()
  return begun !== undefined
}

/** Ends an incident, if there is one, once no more than this share of the last `size` executions failed. */
export async function endIncident(
  db: Db,
  tool: string,
  size: number,
  share: number,
): Promise<void> {
  await sql`
    delete from tool_incident where tool = ${tool} and (
      select count(*) filter (where failed) <= ${share}::float8 * count(*)
      from (
        select failed from tool_outcome where tool = ${tool} order by id desc limit ${size}
      ) as recent)`.execute(db)
}

/** The tool begins anew: what it did before counts no more. */
export async function forgetOutcomes(db: Db, tool: string): Promise<void> {
  await db.deleteFrom('tool_outcome').where('tool', '=', tool).execute()
  await db.deleteFrom('tool_incident').where('tool', '=', tool).execute()
}
