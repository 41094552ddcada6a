import { type Kysely, sql } from 'kysely'

/**
 * OUT-06: which filters a call's output went through (JSON), how sure they were, and how many lines it had before and after. The whole
 * text of each is in `tool_overflow`, and found by its call.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tool_call
      add column filters text,
      add column filter_confidence text check (filter_confidence in ('full', 'partial', 'fallback')),
      add column lines_before integer,
      add column lines_after integer`.execute(db)
  await sql`create index tool_overflow_call on tool_overflow (call_id)`.execute(db)
  // OUT-09: a session that is closed takes its texts along.
  await sql`create index tool_overflow_session on tool_overflow (session_id)`.execute(db)
}
