import { type Kysely, sql } from 'kysely'

/** CHAT-07: which album an event was of: what comes of it later is for us too, whichever process takes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table inbound_event add column album text`.execute(db)
  await sql`create index inbound_event_of_album on inbound_event (album) where album is not null`.execute(
    db,
  )
}
