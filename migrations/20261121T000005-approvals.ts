import { type Kysely, sql } from 'kysely'

/** Approvals, their cards, votes and buttons, and the grants that *Always* made. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [
    approvalBatch,
    approval,
    approvalAsked,
    approvalCard,
    approvalShowing,
    approvalVote,
    editWindow,
    grantRule,
    fileGrant,
    rulesOrder,
    callbackToken,
  ]) {
    await statements.execute(db)
  }
}

const approvalBatch = sql`
  create table approval_batch (
    id uuid primary key,
    session_id uuid not null references session on delete cascade,
    conversation_id uuid not null references conversation on delete cascade,
    file text,
    created_at timestamptz not null default now()
  )`

const approval = sql`
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
    state text not null default 'pending'
      check (state in ('pending', 'approved', 'denied', 'expired', 'cancelled', 'granted',
        'superseded')),
    always_effect text not null default 'none'
      check (always_effect in ('none', 'session', 'worker', 'done')),
    reason text,
    decided_by text,
    decided_at timestamptz,
    expires_at timestamptz not null,
    remind_at timestamptz,
    created_at timestamptz not null default now(),
    reason_until timestamptz,
    subject text not null default '{"texts":[],"paths":[],"isOpaque":false}',
    escalate_at timestamptz,
    escalated integer not null default 0,
    life text check (life in ('turn', '15m', '1h', '5x', 'always')),
    batch_id uuid references approval_batch on delete set null,
    unique (session_id, number)
  );
  create unique index approval_one_pending on approval (call_id) where state = 'pending';
  create index approval_due on approval (expires_at) where state = 'pending';
  create index approval_pending_by_session on approval (session_id) where state = 'pending';
  create index approval_always on approval (session_id)
    where always_effect in ('session', 'worker');
  create index approval_to_remind on approval (remind_at)
    where state = 'pending' and remind_at is not null;
  create index approval_by_call on approval (call_id, number);
  create index approval_pending_by_turn on approval (turn_id) where state = 'pending';
  create index approval_by_card on approval (card_outbox_id);
  create index approval_explaining on approval (reason_until)
    where reason_until is not null;
  create index approval_escalation on approval (escalate_at)
    where state = 'pending' and escalate_at is not null;
  create index approval_batch_members on approval (batch_id) where batch_id is not null`

const approvalAsked = sql`
  create table approval_asked (
    approval_id uuid not null references approval on delete cascade,
    caller_id text not null,
    asked_at timestamptz not null default now(),
    primary key (approval_id, caller_id)
  )`

const approvalCard = sql`
  create table approval_card (
    approval_id uuid not null references approval on delete cascade,
    outbox_id bigint not null references outbox on delete cascade,
    is_batch boolean not null default false,
    primary key (approval_id, outbox_id)
  );
  create index approval_card_by_outbox on approval_card (outbox_id)`

const approvalShowing = sql`
  create table approval_showing (
    approval_id uuid not null references approval on delete cascade,
    caller_id text not null references api_token (caller_id) on delete cascade,
    shown_at timestamptz not null default now(),
    primary key (approval_id, caller_id)
  )`

const approvalVote = sql`
  create table approval_vote (
    approval_id uuid not null references approval on delete cascade,
    caller_id text not null,
    decision text not null,
    created_at timestamptz not null default now(),
    life text check (life in ('turn', '15m', '1h', '5x', 'always')),
    primary key (approval_id, caller_id)
  )`

const editWindow = sql`
  create table edit_window (
    approval_id uuid not null references approval on delete cascade,
    caller_id text not null,
    ends_at timestamptz not null,
    primary key (approval_id, caller_id)
  )`

const grantRule = sql`
  create table grant_rule (
    id uuid primary key,
    session_id uuid not null references session on delete cascade,
    caller_id text not null,
    tool text not null,
    pattern text not null,
    approval_id uuid references approval on delete set null,
    granted_by text not null,
    created_at timestamptz not null default now(),
    number integer not null,
    life text not null default 'always'
      check (life in ('turn', '15m', '1h', '5x', 'always')),
    turn_id uuid references turn on delete cascade,
    expires_at timestamptz,
    uses_left integer check (uses_left >= 0),
    revoked_at timestamptz,
    revoked_by text,
    unique (session_id, number)
  );
  create index grant_rule_live on grant_rule (session_id, caller_id)
    where revoked_at is null and (uses_left is null or uses_left > 0);
  create index grant_rule_turn on grant_rule (turn_id) where turn_id is not null`

const fileGrant = sql`
  create table file_grant (
    id uuid primary key,
    worker text not null,
    number integer not null,
    tool text not null,
    pattern text not null,
    created_at timestamptz not null default now(),
    unique (worker, number)
  )`

const rulesOrder = sql`
  create table rules_order (
    id uuid primary key,
    session_id uuid not null references session on delete cascade,
    conversation_id uuid not null references conversation on delete cascade,
    caller_id text not null,
    file_grant_id uuid references file_grant on delete cascade,
    created_at timestamptz not null default now()
  )`

const callbackToken = sql`
  create table callback_token (
    token_sha256 text primary key,
    approval_id uuid references approval on delete cascade,
    action text not null
      check (action in ('approve', 'always', 'turn', '15m', '1h', '5x', 'deny',
        'just_deny', 'edit', 'revoke', 'approve_all', 'review', 'deny_all', 'stop', 'good', 'bad')),
    conversation_id uuid not null references conversation on delete cascade,
    created_at timestamptz not null default now(),
    grant_id uuid references grant_rule on delete cascade,
    file_grant_id uuid references file_grant on delete cascade,
    batch_id uuid references approval_batch on delete cascade,
    turn_id uuid references turn on delete cascade,
    constraint callback_token_one_target check (
      num_nonnulls(approval_id, grant_id, file_grant_id, batch_id, turn_id) = 1
      and (action = 'revoke') = (grant_id is not null or file_grant_id is not null)
      and (action in ('approve_all', 'review', 'deny_all')) = (batch_id is not null)
      and (action in ('stop', 'good', 'bad')) = (turn_id is not null)
    )
  );
  create index callback_token_approval on callback_token (approval_id);
  create index callback_token_grant on callback_token (grant_id) where grant_id is not null;
  create index callback_token_file_grant on callback_token (file_grant_id)
    where file_grant_id is not null;
  create index callback_token_batch on callback_token (batch_id) where batch_id is not null;
  create index callback_token_turn on callback_token (turn_id) where turn_id is not null`
