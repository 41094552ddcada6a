import { type Kysely, sql } from 'kysely'

/** Calls told as interrupted that may still run are looked for every second; who floods is slowed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table inbound_event add column not_before timestamptz`.execute(db)
  await sql`
    create index inbound_event_counted on inbound_event (caller_id, arrival)
      where not_before is not null`.execute(db)
  await sql`
    create index tool_call_unheard on tool_call (session_id)
      where state = 'interrupted' and cancel_requested_at is not null`.execute(db)
}
