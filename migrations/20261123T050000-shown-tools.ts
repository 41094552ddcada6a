import { type Kysely, sql } from 'kysely'

/** SCH-02: the tools that the model is shown in a turn, as JSON: names, or "all"; null where that needs no choice. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table turn add column shown_tools text`.execute(db)
}
