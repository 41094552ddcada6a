import { type Kysely, sql } from 'kysely'

/** The questions that a grant wins over: those that its own call met. Null: given before they were stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table approval add column always_beats text`.execute(db)
  await sql`alter table grant_rule add column beats text`.execute(db)
}
