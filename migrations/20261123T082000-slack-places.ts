import { type Kysely, sql } from 'kysely'

/**
 * SLACK-01: how somebody is answered in a place that we are not in, sealed by the platform's adapter; and CHAT-01: of which team
 * the people of a platform are, so that those of an earlier one are nobody.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table reply_path (
      conversation_id uuid primary key references conversation (id) on delete cascade,
      sealed text not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`
    create table platform_team (
      platform text primary key,
      team text not null,
      since timestamptz not null default now()
    )`.execute(db)
}
