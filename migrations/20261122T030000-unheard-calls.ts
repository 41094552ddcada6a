import { type Kysely, sql } from 'kysely'

/** Calls told as interrupted that may still run are looked for every second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index tool_call_unheard on tool_call (session_id)
      where state = 'interrupted' and cancel_requested_at is not null`.execute(db)
}
