import { type Kysely, sql } from 'kysely'

/** CHAT-01: which accounts are one person's. And the codes by which that is proven: such a code gives no role, it names an account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table caller_link (
      caller_id text primary key references caller on delete cascade,
      person uuid not null,
      linked_by text not null,
      linked_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index caller_link_person on caller_link (person)`.execute(db)
  await sql`
    alter table pairing_code
      alter column role drop not null,
      add column links text references caller on delete cascade,
      add constraint pairing_code_purpose check ((role is null) <> (links is null))`.execute(db)
}
