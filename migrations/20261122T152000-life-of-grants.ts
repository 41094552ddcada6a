import { type Kysely, sql } from 'kysely'

/**
 * APPR-15: grants end, by time, with their turn, or after so many uses; whoever they are for, and others, can take them back
 * by number or button. What ended stays, for whoever asks later what was allowed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await grants(db)
  await sql`
    alter table approval
    add column life text check (life in ('turn', '15m', '1h', '5x', 'always'))`.execute(db)
  await sql`alter table tool_call add column spent_grants text`.execute(db)
  await rulesOfFiles(db)
  await buttons(db)
}

async function grants(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table grant_rule
      drop constraint grant_rule_session_id_caller_id_tool_pattern_key,
      add column number integer,
      add column life text not null default 'always' check (life in ('turn', '15m', '1h', '5x', 'always')),
      add column turn_id uuid references turn on delete cascade,
      add column expires_at timestamptz,
      add column uses_left integer check (uses_left >= 0),
      add column revoked_at timestamptz,
      add column revoked_by text`.execute(db)
  await sql`
    update grant_rule set number = counted.number
    from (
      select id, row_number() over (partition by session_id order by created_at, id) as number
      from grant_rule
    ) as counted
    where counted.id = grant_rule.id`.execute(db)
  await sql`
    alter table grant_rule
      alter column number set not null,
      add unique (session_id, number)`.execute(db)
  await sql`
    create index grant_rule_live on grant_rule (session_id, caller_id)
    where revoked_at is null and (uses_left is null or uses_left > 0)`.execute(db)
  await sql`create index grant_rule_turn on grant_rule (turn_id) where turn_id is not null`.execute(
    db,
  )
  await sql`alter table session add column next_grant_number integer not null default 1`.execute(db)
  await sql`
    update session set next_grant_number = last.number + 1
    from (select session_id, max(number) as number from grant_rule group by session_id) as last
    where last.session_id = session.id`.execute(db)
}

/** What *Always* wrote into workers' files, as it was listed: its number stays. And what people want done about it. */
async function rulesOfFiles(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table file_grant (
      id uuid primary key,
      worker text not null,
      number integer not null,
      tool text not null,
      pattern text not null,
      created_at timestamptz not null default now(),
      unique (worker, number)
    )`.execute(db)
  await sql`
    create table rules_order (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      conversation_id uuid not null references conversation on delete cascade,
      caller_id text not null,
      file_grant_id uuid references file_grant on delete cascade,
      created_at timestamptz not null default now()
    )`.execute(db)
}

async function buttons(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table callback_token
      drop constraint callback_token_action_check,
      alter column approval_id drop not null,
      add column grant_id uuid references grant_rule on delete cascade,
      add column file_grant_id uuid references file_grant on delete cascade,
      add constraint callback_token_action_check check (action in ('approve', 'always', 'turn', '15m', '1h',
        '5x', 'deny', 'just_deny', 'revoke')),
      add constraint callback_token_one_target check (
        num_nonnulls(approval_id, grant_id, file_grant_id) = 1
        and (action = 'revoke') = (approval_id is null))`.execute(db)
  await sql`
    create index callback_token_grant on callback_token (grant_id)
    where grant_id is not null`.execute(db)
  await sql`
    create index callback_token_file_grant on callback_token (file_grant_id)
    where file_grant_id is not null`.execute(db)
}
