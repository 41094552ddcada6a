import { type Kysely, sql } from 'kysely'

/** A button that ends the turn below whose passing message it is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table callback_token
      drop constraint callback_token_action_check,
      drop constraint callback_token_one_target,
      add column turn_id uuid references turn on delete cascade,
      add constraint callback_token_action_check check (action in ('approve', 'always', 'turn', '15m', '1h',
        '5x', 'deny', 'just_deny', 'edit', 'revoke', 'approve_all', 'review', 'deny_all', 'stop')),
      add constraint callback_token_one_target check (
        num_nonnulls(approval_id, grant_id, file_grant_id, batch_id, turn_id) = 1
        and (action = 'revoke') = (grant_id is not null or file_grant_id is not null)
        and (action in ('approve_all', 'review', 'deny_all')) = (batch_id is not null)
        and (action = 'stop') = (turn_id is not null))`.execute(db)
  await sql`
    create index callback_token_turn on callback_token (turn_id)
    where turn_id is not null`.execute(db)
}
