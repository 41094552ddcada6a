import { type Kysely, sql } from 'kysely'

/** POL-05: what the reviewer said of a call, and of which arguments, in JSON; null: nobody reviewed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tool_call add column review text`.execute(db)
}
