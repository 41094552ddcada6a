import { type Kysely, sql } from 'kysely'

/** LOOP-12: how long a prompt was, to learn how many tokens a byte is; and the line that stands for an older result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table usage add column prompt_bytes integer`.execute(db)
  await sql`alter table tool_call add column compacted text`.execute(db)
}
