import { type Kysely, sql } from 'kysely'

/** Events that came in from platforms, messages that go out, and the leases of the processes that handle both. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [inboundEvent, outbox, lease]) {
    await statements.execute(db)
  }
}

const inboundEvent = sql`
  create table inbound_event (
    id uuid primary key,
    platform text not null,
    external_id text not null,
    arrival bigint generated always as identity,
    conversation_id uuid not null references conversation on delete cascade,
    caller_id text not null,
    body text not null,
    received_at timestamptz not null default now(),
    handled_at timestamptz,
    failure text,
    attempts integer not null default 0,
    answer text,
    not_before timestamptz,
    in_line boolean not null default false,
    album text,
    unique (platform, external_id)
  );
  create index inbound_event_waiting on inbound_event (conversation_id, arrival)
    where handled_at is null;
  create index inbound_event_counted on inbound_event (caller_id, arrival)
    where not_before is not null;
  create index inbound_event_of_album on inbound_event (album) where album is not null`

const outbox = sql`
  create table outbox (
    id bigint generated always as identity primary key,
    conversation_id uuid not null references conversation on delete cascade,
    body text not null,
    edit_of bigint references outbox on delete cascade,
    state text not null default 'pending' check (state in ('pending', 'sent', 'dead')),
    external_message_id text,
    attempts integer not null default 0,
    not_before timestamptz not null default now(),
    failure text,
    created_at timestamptz not null default now(),
    sent_at timestamptz,
    claimed_until timestamptz,
    parts text not null default '[]',
    is_cut boolean not null default false,
    addressee text
  );
  create index outbox_pending on outbox (conversation_id, id) where state = 'pending';
  create index outbox_edits on outbox (edit_of) where edit_of is not null;
  create index outbox_message on outbox (conversation_id, external_message_id)
    where external_message_id is not null;
  create index outbox_in_parts on outbox (conversation_id) where parts <> '[]'`

const lease = sql`
  create table lease (
    name text primary key,
    owner text not null,
    held_until timestamptz not null
  )`
