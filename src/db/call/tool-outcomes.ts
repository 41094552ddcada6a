import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Counts over the last executions of a tool. */
export interface Window {
  readonly executions: number
  readonly failed: number
}

/**
 * Adds an execution and deletes up to 100 older than the last `size`, to keep the table small. Rows locked by another
 * transaction are skipped, so it never waits.
 */
export async function addOutcome(
  db: Db,
  tool: string,
  failed: boolean,
  size: number,
): Promise<void> {
  await sql`with ${addedAndPruned(tool, failed, size)} select`.execute(db)
}

function addedAndPruned(tool: string, failed: boolean, size: number) {
  return sql`added as (insert into tool_outcome (tool, failed) values (${tool}, ${failed})), pruned as (
    delete from tool_outcome where tool = ${tool} and id in (
      select id from tool_outcome
      where tool = ${tool} and id <= (
        select id from tool_outcome where tool = ${tool} order by id desc offset ${size} limit 1)
      order by id limit 100 for update skip locked))`
}

export async function countWindow(db: Db, tool: string, size: number): Promise<Window> {
  const { rows } = await sql<Window>`
    select count(*) as executions, count(*) filter (where failed) as failed
    from (
      select failed from tool_outcome where tool = ${tool} order by id desc limit ${size}
    ) as recent`.execute(db)
  return rows[0] ?? { executions: 0, failed: 0 }
}

/** Starts an incident; false if one is already open. */
export async function beginIncident(db: Db, tool: string, window: Window): Promise<boolean> {
  const started = await db
    .insertInto('tool_incident')
    .values({ tool, ...window })
    .onConflict((conflict) => conflict.doNothing())
    .returning('tool')
    .executeTakeFirst()
  return started !== undefined
}

/** Adds a success, and ends the tool's incident once at most this share of its last `size` executions failed. */
export async function addSuccess(db: Db, tool: string, size: number, share: number): Promise<void> {
  await sql`
    with ${addedAndPruned(tool, false, size)}
    delete from tool_incident where tool = ${tool} and (
      select count(*) filter (where failed) <= ${share}::float8 * (count(*) + 1)
      from (
        select failed from tool_outcome where tool = ${tool} order by id desc limit ${size - 1}
      ) as earlier)`.execute(db)
}

/** Deletes a tool's execution history and incident. */
export async function deleteOutcomes(db: Db, tool: string): Promise<void> {
  await db.deleteFrom('tool_outcome').where('tool', '=', tool).execute()
  await db.deleteFrom('tool_incident').where('tool', '=', tool).execute()
}
