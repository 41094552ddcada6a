import { type Kysely, sql } from 'kysely'

/** What processes apart need to know of each other: which agents live, where a box is warm, which is to be restarted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent (
      id uuid primary key,
      model text not null,
      warnings text not null,
      live_key text not null,
      seen_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    alter table worker
    add column beat bigint not null default 0,
    add column said_at timestamptz`.execute(db)
  await sql`alter table session add column box_replica text`.execute(db)
  await sql`alter table turn add column shell_command text`.execute(db)
  await sql`
    alter table conversation
    add column restart_box_of text,
    add column restart_box_by text`.execute(db)
  await sql`
    create index conversation_restart_box on conversation (id)
    where restart_box_of is not null`.execute(db)
}
