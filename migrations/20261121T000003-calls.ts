import { type Kysely, sql } from 'kysely'

/** Tool calls, output that was too long for the model, and cached results. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [toolCall, toolOverflow, resultCache]) {
    await statements.execute(db)
  }
}

const toolCall = sql`
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
    state text not null
      check (state in ('awaiting_approval', 'allowed', 'queued', 'running', 'succeeded',
        'failed', 'denied', 'cancelled', 'interrupted')),
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
    late_attempt integer not null default 0,
    turned_back integer not null default 0,
    spent_grants text,
    original_arguments text,
    edited_by text,
    edited_at timestamptz,
    editor_votes boolean not null default false,
    in_text boolean not null default false,
    compacted text,
    tries integer,
    filters text,
    filter_confidence text check (filter_confidence in ('full', 'partial', 'fallback')),
    lines_before integer,
    lines_after integer,
    review text,
    cache_key text,
    cached_from uuid,
    summary text,
    summary_state text check (summary_state in ('wanted', 'done', 'failed')),
    unique (session_id, number),
    unique (turn_id, step, ordinal)
  );
  create index tool_call_open on tool_call (session_id)
    where state in ('awaiting_approval', 'allowed', 'queued', 'running');
  create index tool_call_at_worker on tool_call (sent_at)
    where state in ('queued', 'running');
  create index tool_call_by_message on tool_call (message_id);
  create index tool_call_previewing on tool_call (id)
    where state = 'awaiting_approval' and preview = 'wanted';
  create index tool_call_unheard on tool_call (session_id)
    where state = 'interrupted' and cancel_requested_at is not null`

const toolOverflow = sql`
  create table tool_overflow (
    id uuid primary key,
    session_id uuid not null references session on delete cascade,
    call_id uuid not null references tool_call on delete cascade,
    content text not null,
    characters integer not null,
    created_at timestamptz not null default now(),
    kind text not null default 'whole' check (kind in ('whole', 'compacted'))
  );
  create index tool_overflow_age on tool_overflow (created_at);
  create index tool_overflow_call on tool_overflow (call_id);
  create index tool_overflow_session on tool_overflow (session_id)`

const resultCache = sql`
  create table result_cache (
    session_id uuid not null references session on delete cascade,
    key text not null,
    call_id uuid not null references tool_call on delete cascade unique,
    turn_id uuid references turn on delete cascade,
    fingerprint text,
    created_at timestamptz not null default now(),
    check ((turn_id is null) = (fingerprint is null)),
    primary key (session_id, key)
  );
  create index result_cache_turn on result_cache (turn_id) where turn_id is not null`
