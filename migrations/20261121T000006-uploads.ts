import { type Kysely, sql } from 'kysely'

/** Files that people sent, and contents of files that are kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [attachment, upload]) {
    await statements.execute(db)
  }
}

const attachment = sql`
  create table attachment (
    id uuid primary key,
    conversation_id uuid not null references conversation on delete cascade,
    name text not null,
    content bytea not null check (octet_length(content) <= 20971520),
    sha256 text not null,
    created_at timestamptz not null default now(),
    is_output boolean not null default false
  );
  create index attachment_conversation on attachment (conversation_id);
  create index attachment_output on attachment (conversation_id, sha256) where is_output`

const upload = sql`
  create table upload (
    id uuid primary key,
    inbound_event_id uuid not null references inbound_event on delete cascade,
    ordinal integer not null,
    name text not null,
    media_type text,
    reference text not null,
    album text,
    state text not null default 'waiting'
      check (state in ('waiting', 'kept', 'refused', 'told')),
    attachment_id uuid references attachment on delete set null,
    message_id uuid references message on delete cascade,
    call_id uuid references tool_call on delete set null,
    failure text,
    attempts integer not null default 0,
    not_before timestamptz not null default now(),
    claimed_until timestamptz,
    created_at timestamptz not null default now(),
    announced_bytes integer,
    check ((state <> 'refused') or (failure is not null)),
    unique (inbound_event_id, ordinal)
  );
  create index upload_waiting on upload (not_before) where state = 'waiting';
  create index upload_of_album on upload (album)
    where state = 'waiting' and album is not null;
  create index upload_by_message on upload (message_id);
  create index upload_by_call on upload (call_id);
  create index upload_by_attachment on upload (attachment_id);
  create index upload_open on upload (inbound_event_id) where state in ('waiting', 'kept')`
