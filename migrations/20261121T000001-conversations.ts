import { type Kysely, sql } from 'kysely'

/** Conversations on platforms, their sessions, and the turns, messages and model usage of those. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [conversation, replyPath, session, turn, message, usage, budgetNote]) {
    await statements.execute(db)
  }
}

const conversation = sql`
  create table conversation (
    id uuid primary key,
    platform text not null,
    external_id text not null,
    created_at timestamptz not null default now(),
    live_message_id text,
    live_turn_id uuid,
    live_until timestamptz,
    restart_box_of text,
    restart_box_by text,
    worker text,
    unique (platform, external_id)
  );
  create index conversation_chat on conversation (platform, split_part(external_id, '/', 1));
  create index conversation_restart_box on conversation (id)
    where restart_box_of is not null`

const replyPath = sql`
  create table reply_path (
    conversation_id uuid not null references conversation on delete cascade,
    sealed text not null,
    expires_at timestamptz not null,
    caller_id text not null,
    primary key (conversation_id, caller_id)
  )`

const session = sql`
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
    closed_at timestamptz,
    box_replica text,
    next_grant_number integer not null default 1,
    files_changed_at timestamptz,
    model text
  );
  create unique index session_one_open on session (conversation_id, worker)
    where state = 'open';
  create index session_by_conversation on session (conversation_id)`

const turn = sql`
  create table turn (
    id uuid primary key,
    session_id uuid not null references session on delete cascade,
    kind text not null default 'message' check (kind in ('message', 'shell', 'undo')),
    caller_id text not null,
    state text not null
      check (state in ('queued', 'thinking', 'acting', 'done', 'stopped', 'failed')),
    epoch integer not null default 0,
    lease_owner text,
    lease_until timestamptz,
    next_due timestamptz,
    step integer not null default 0,
    crashes integer not null default 0,
    stopped_by text,
    failure text,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    shell_command text,
    model_failures integer not null default 0,
    model_failing_since timestamptz,
    on_fallback boolean not null default false,
    shown_tools text
  );
  create unique index turn_one_live on turn (session_id)
    where state in ('queued', 'thinking', 'acting');
  create index turn_due on turn (next_due) where state in ('queued', 'thinking', 'acting');
  create index turn_by_session on turn (session_id, created_at);
  create index turn_leased on turn (lease_until)
    where state in ('queued', 'thinking', 'acting') and (lease_until is not null);
  create index turn_stepping on turn (id) where state in ('queued', 'thinking');
  create index turn_by_caller on turn (caller_id)`

const message = sql`
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
  );
  create index message_unread on message (session_id, arrival) where position is null`

const usage = sql`
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
    created_at timestamptz not null default now(),
    prompt_bytes integer
  );
  create index usage_by_session on usage (session_id);
  create index usage_by_caller on usage (caller_id, created_at)`

const budgetNote = sql`
  create table budget_note (
    scope text not null,
    day date not null,
    kind text not null
      check (kind in ('lifted', 'warned toolCalls', 'warned tokens', 'warned cost')),
    noted_by text,
    noted_at timestamptz not null default now(),
    primary key (scope, day, kind)
  )`
