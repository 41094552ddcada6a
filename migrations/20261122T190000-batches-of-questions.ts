import { type Kysely, sql } from 'kysely'

/**
 * APPR-10, APPR-20: questions of one step that one card asks together. `approval_card.is_batch`: the message shows the question as one
 * of several. A button below such a card answers all of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table approval_batch (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      conversation_id uuid not null references conversation on delete cascade,
      file text,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    alter table approval
      add column batch_id uuid references approval_batch on delete set null`.execute(db)
  await sql`
    create index approval_batch_members on approval (batch_id)
    where batch_id is not null`.execute(db)
  await sql`
    alter table approval_card
      add column is_batch boolean not null default false`.execute(db)
  await buttons(db)
}

async function buttons(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table callback_token
      drop constraint callback_token_action_check,
      drop constraint callback_token_one_target,
      add column batch_id uuid references approval_batch on delete cascade,
      add constraint callback_token_action_check check (action in ('approve', 'always', 'turn', '15m', '1h',
        '5x', 'deny', 'just_deny', 'edit', 'revoke', 'approve_all', 'review', 'deny_all')),
      add constraint callback_token_one_target check (
        num_nonnulls(approval_id, grant_id, file_grant_id, batch_id) = 1
        and (action = 'revoke') = (grant_id is not null or file_grant_id is not null)
        and (action in ('approve_all', 'review', 'deny_all')) = (batch_id is not null))`.execute(db)
  await sql`
    create index callback_token_batch on callback_token (batch_id)
    where batch_id is not null`.execute(db)
}
