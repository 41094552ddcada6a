import { type Kysely, sql } from 'kysely'

/** Buttons that answer a group of the calls on a card for several approvals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table callback_token drop constraint callback_token_action_check`.execute(db)
  await sql`
    alter table callback_token add constraint callback_token_action_check
      check (action in ('approve', 'always', 'turn', '15m', '1h', '5x', 'deny', 'just_deny', 'edit', 'details', 'choice',
        'back', 'approve_group', 'deny_group', 'revoke', 'approve_all', 'review', 'deny_all', 'stop', 'good', 'bad'))`.execute(
    db,
  )
}
