import { type Kysely, sql } from 'kysely'

/** Conversations, sessions, their messages and turns; what came in and what goes out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await people(db)
  await sessions(db)
  await turns(db)
  await mail(db)
}

async function people(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table caller (
      id text primary key,
      name text not null,
      role text not null check (role in ('user', 'approver', 'operator')),
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table conversation (
      id uuid primary key,
      platform text not null,
      external_id text not null,
      created_at timestamptz not null default now(),
      unique (platform, external_id)
    )`.execute(db)
}

async function sessions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session (
      id uuid primary key,
      conversation_id uuid not null references conversation on delete cascade,
      worker text not null,
      state text not null default 'open' check (state in ('open', 'closed')),
      calls_used integer not null default 0 check (calls_used >= 0),
      next_position bigint not null default 1,
      next_call_number integer not null default 1,
      next_approval_number integer not null default 1,
      created_at timestamptz not null default now(),
      closed_at timestamptz
    )`.execute(db)
  await sql`
    create unique index session_one_open on session (conversation_id, worker)
    where state = 'open'`.execute(db)
}

async function turns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table turn (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      kind text not null default 'message' check (kind in ('message', 'shell')),
      caller_id text not null,
      state text not null check (state in ('queued', 'thinking', 'acting', 'done', 'stopped', 'failed')),
      epoch integer not null default 0,
      lease_owner text,
      lease_until timestamptz,
      next_due timestamptz,
      step integer not null default 0,
      crashes integer not null default 0,
      stopped_by text,
      failure text,
      created_at timestamptz not null default now(),
      ended_at timestamptz
    )`.execute(db)
  await sql`
    create unique index turn_one_live on turn (session_id)
    where state in ('queued', 'thinking', 'acting')`.execute(db)
  await sql`
    create index turn_due on turn (next_due)
    where state in ('queued', 'thinking', 'acting')`.execute(db)
  await sql`create index turn_by_session on turn (session_id, created_at)`.execute(db)
  await sql`
    create table message (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      turn_id uuid references turn on delete cascade,
      position bigint,
      arrival bigint generated always as identity,
      role text not null check (role in ('user', 'assistant')),
      author text not null,
      body text not null,
      created_at timestamptz not null default now(),
      unique (session_id, position)
    )`.execute(db)
  await sql`
    create index message_unread on message (session_id, arrival) where position is null`.execute(db)
  await sql`
    create table usage (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      turn_id uuid not null references turn on delete cascade,
      caller_id text not null,
      step integer not null,
      provider text not null,
      model text not null,
      state text not null check (state in ('started', 'done', 'failed', 'superseded')),
      input_tokens integer,
      output_tokens integer,
      cache_read_tokens integer,
      cache_write_tokens integer,
      cost_usd double precision,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index usage_by_session on usage (session_id)`.execute(db)
}

async function mail(db: Kysely<unknown>): Promise<void> {
  await sql`
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
      unique (platform, external_id)
    )`.execute(db)
  await sql`
    create index inbound_event_waiting on inbound_event (conversation_id, arrival)
    where handled_at is null`.execute(db)
  await sql`
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
      sent_at timestamptz
    )`.execute(db)
  await sql`
    create index outbox_pending on outbox (conversation_id, id) where state = 'pending'`.execute(db)
}
