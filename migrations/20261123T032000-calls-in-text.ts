import { type Kysely, sql } from 'kysely'

/** MODEL-02: whether a model without native tool calling wrote the call as a block in its text. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tool_call add column in_text boolean not null default false`.execute(db)
}
