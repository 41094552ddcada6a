import { type Kysely, sql } from 'kysely'

/** Buttons that show the details or the choices of *Always* in place, and close them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callback_token drop constraint callback_token_action_check`.execute(db)
  await sql`
    alter table callback_token add constraint callback_token_action_check
      check (action in ('approve', 'always', 'turn', '15m', '1h', '5x', 'deny', 'just_deny', 'edit', 'details', 'choice',
        'back', 'revoke', 'approve_all', 'review', 'deny_all', 'stop', 'good', 'bad'))`.execute(db)
  await sql`alter table callback_token drop constraint callback_token_one_target`.execute(db)
  await sql`
    alter table callback_token add constraint callback_token_one_target check (
      num_nonnulls(approval_id, grant_id, file_grant_id, batch_id, turn_id) = 1
      and (action = 'revoke') = (grant_id is not null or file_grant_id is not null)
      and (action in ('approve_all', 'review', 'deny_all')
        or (action in ('details', 'back') and batch_id is not null)) = (batch_id is not null)
      and (action in ('stop', 'good', 'bad')) = (turn_id is not null)
    )`.execute(db)
}
