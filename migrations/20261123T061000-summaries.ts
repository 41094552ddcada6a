import { type Kysely, sql } from 'kysely'

/** OUT-13: what a model made of an output that was too long, in the place of its head and tail; and whether it is still to be made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tool_call
      add column summary text,
      add column summary_state text check (summary_state in ('wanted', 'done', 'failed'))`.execute(
    db,
  )
}
