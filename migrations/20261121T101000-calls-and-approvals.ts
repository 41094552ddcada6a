import { type Kysely, sql } from 'kysely'

/** Tool calls, the questions put to people about them, the workers that run them, and what was too long to show. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await calls(db)
  await approvals(db)
  await workers(db)
}

async function calls(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tool_call (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      turn_id uuid not null references turn on delete cascade,
      message_id uuid references message on delete cascade,
      number integer not null,
      step integer not null,
      ordinal integer not null,
      model_call_id text not null,
      tool text not null,
      arguments text not null,
      arguments_sha256 text not null,
      mutating boolean not null,
      state text not null check (state in ('awaiting_approval', 'allowed', 'queued', 'running',
        'succeeded', 'failed', 'denied', 'cancelled', 'interrupted')),
      verdict text not null,
      canonical text,
      attempt integer not null default 0,
      sends integer not null default 0,
      sent_at timestamptz,
      base_sha256 text,
      preview text not null default 'none' check (preview in ('none', 'wanted', 'done')),
      cancel_requested_at timestamptz,
      worker text,
      replica text,
      driver text,
      decided_audit boolean not null default false,
      result text,
      is_error boolean,
      error_category text,
      output text,
      envelope text,
      exit_code integer,
      truncated boolean,
      duration_ms integer,
      created_at timestamptz not null default now(),
      queued_at timestamptz,
      started_at timestamptz,
      settled_at timestamptz,
      unique (turn_id, step, ordinal),
      unique (session_id, number)
    )`.execute(db)
  await sql`
    create index tool_call_open on tool_call (session_id)
    where state in ('awaiting_approval', 'allowed', 'queued', 'running')`.execute(db)
  await sql`
    create index tool_call_at_worker on tool_call (sent_at)
    where state in ('queued', 'running')`.execute(db)
  await sql`create index tool_call_by_message on tool_call (message_id)`.execute(db)
  await sql`
    create table tool_overflow (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      call_id uuid not null references tool_call on delete cascade,
      content text not null,
      characters integer not null,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index tool_overflow_age on tool_overflow (created_at)`.execute(db)
}

async function approvals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table approval (
      id uuid primary key,
      call_id uuid not null references tool_call on delete cascade,
      turn_id uuid not null references turn on delete cascade,
      session_id uuid not null references session on delete cascade,
      conversation_id uuid not null references conversation on delete cascade,
      number integer not null,
      caller_id text not null,
      tool text not null,
      arguments_sha256 text not null,
      confined boolean not null,
      risk text not null check (risk in ('low', 'medium', 'high')),
      always_patterns text not null,
      card text not null,
      card_outbox_id bigint references outbox on delete set null,
      state text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'expired',
        'cancelled', 'granted', 'superseded')),
      always_effect text not null default 'none' check (always_effect in ('none', 'session', 'worker', 'done')),
      reason text,
      decided_by text,
      decided_at timestamptz,
      expires_at timestamptz not null,
      remind_at timestamptz,
      created_at timestamptz not null default now(),
      unique (session_id, number)
    )`.execute(db)
  await sql`
    create unique index approval_one_pending on approval (call_id) where state = 'pending'`.execute(
    db,
  )
  await sql`create index approval_due on approval (expires_at) where state = 'pending'`.execute(db)
  await sql`
    create index approval_pending_by_session on approval (session_id) where state = 'pending'`.execute(
    db,
  )
  await sql`
    create index approval_always on approval (session_id)
    where always_effect in ('session', 'worker')`.execute(db)
  await sql`
    create table approval_vote (
      approval_id uuid not null references approval on delete cascade,
      caller_id text not null,
      decision text not null,
      created_at timestamptz not null default now(),
      primary key (approval_id, caller_id)
    )`.execute(db)
  await sql`
    create table approval_card (
      approval_id uuid not null references approval on delete cascade,
      outbox_id bigint not null references outbox on delete cascade,
      primary key (approval_id, outbox_id)
    )`.execute(db)
  await sql`
    create table grant_rule (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      caller_id text not null,
      tool text not null,
      pattern text not null,
      approval_id uuid references approval on delete set null,
      granted_by text not null,
      created_at timestamptz not null default now(),
      unique (session_id, caller_id, tool, pattern)
    )`.execute(db)
}

async function workers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table worker (
      name text not null,
      replica text not null,
      driver text not null,
      confined boolean not null,
      warnings text not null,
      box_workspace text not null,
      tools text not null,
      public_key text not null,
      seen_at timestamptz not null default now(),
      primary key (name, replica)
    )`.execute(db)
}
