import { type Kysely, sql } from 'kysely'

/**
 * CHAT-07: files that people sent. Each waits to be fetched from its platform, then to be put into a workspace; the event or message that it
 * came with waits for it. `told`: what became of it stands in the message. `in_line`: read after the files that the same person sent before it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table upload (
      id uuid primary key,
      inbound_event_id uuid not null references inbound_event on delete cascade,
      ordinal integer not null,
      name text not null,
      media_type text,
      reference text not null,
      album text,
      state text not null default 'waiting' check (state in ('waiting', 'kept', 'refused', 'told')),
      attachment_id uuid references attachment on delete set null,
      message_id uuid references message on delete cascade,
      call_id uuid references tool_call on delete set null,
      failure text,
      attempts integer not null default 0,
      not_before timestamptz not null default now(),
      claimed_until timestamptz,
      created_at timestamptz not null default now(),
      unique (inbound_event_id, ordinal),
      check (state <> 'refused' or failure is not null)
    )`.execute(db)
  await sql`create index upload_waiting on upload (not_before) where state = 'waiting'`.execute(db)
  await sql`
    create index upload_of_album on upload (album) where state = 'waiting' and album is not null`.execute(
    db,
  )
  await sql`create index upload_by_message on upload (message_id)`.execute(db)
  await sql`create index upload_by_call on upload (call_id)`.execute(db)
  await sql`create index upload_by_attachment on upload (attachment_id)`.execute(db)
  await sql`alter table inbound_event add column in_line boolean not null default false`.execute(db)
}
