import { type Kysely, sql } from 'kysely'

/** MODEL-04: a turn whose model call failed waits in its row for the next try, which the second model may make. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table turn
      add column model_failures integer not null default 0,
      add column model_failing_since timestamptz,
      add column on_fallback boolean not null default false`.execute(db)
}
