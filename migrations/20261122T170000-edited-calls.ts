import { type Kysely, sql } from 'kysely'

/**
 * APPR-14: a call that a person changed keeps what the model asked for; whoever changed it has a vote on the next card, and replies
 * to a card within a while. APPR-12: each of several people says for how long the like of a call may run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tool_call
      add column original_arguments text,
      add column edited_by text,
      add column edited_at timestamptz,
      add column editor_votes boolean not null default false`.execute(db)
  await sql`
    alter table approval_vote
      add column life text check (life in ('turn', '15m', '1h', '5x', 'always'))`.execute(db)
  await sql`
    create table edit_window (
      approval_id uuid not null references approval on delete cascade,
      caller_id text not null,
      ends_at timestamptz not null,
      primary key (approval_id, caller_id)
    )`.execute(db)
  await sql`
    alter table callback_token
      drop constraint callback_token_action_check,
      add constraint callback_token_action_check check (action in ('approve', 'always', 'turn', '15m', '1h',
        '5x', 'deny', 'just_deny', 'edit', 'revoke'))`.execute(db)
}
