import { type Kysely, sql } from 'kysely'

/** CHAT-07: how large a file is that waits to be fetched, as its platform says: of one person only so much may wait. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table upload add column announced_bytes integer`.execute(db)
  await sql`
    create index upload_open on upload (inbound_event_id) where state in ('waiting', 'kept')`.execute(
    db,
  )
}
