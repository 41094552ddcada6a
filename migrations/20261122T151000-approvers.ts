import { type Kysely, sql } from 'kysely'

/** Who may answer a question, where they are reached, and who was asked beside those who may anyway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approval
      add column subject text not null default '{"texts":[],"paths":[],"isOpaque":false}',
      add column escalate_at timestamptz,
      add column escalated integer not null default 0`.execute(db)
  await sql`
    create index approval_escalation on approval (escalate_at)
    where state = 'pending' and escalate_at is not null`.execute(db)
  await sql`
    create table approval_asked (
      approval_id uuid not null references approval on delete cascade,
      caller_id text not null,
      asked_at timestamptz not null default now(),
      primary key (approval_id, caller_id)
    )`.execute(db)
  await sql`
    alter table caller
      add column private_conversation_id uuid references conversation on delete set null,
      add column away_until timestamptz`.execute(db)
  // A private chat on Telegram has the number of the person in it.
  await sql`
    update caller set private_conversation_id = conversation.id
    from conversation
    where conversation.platform = 'telegram' and caller.id = 'telegram:' || conversation.external_id`.execute(
    db,
  )
}
