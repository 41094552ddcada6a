import { type Kysely, sql } from 'kysely'

/** What came too late is recorded once an attempt; what turned back for no good reason is counted apart from attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tool_call
      add column late_attempt integer not null default 0,
      add column turned_back integer not null default 0`.execute(db)
}
