import { type Kysely, sql } from 'kysely'

/** LOOP-15: what was told or lifted of a budget on a day (UTC); what was used is read from calls and usage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table budget_note (
      scope text not null,
      day date not null,
      kind text not null check (kind in ('lifted', 'warned toolCalls', 'warned tokens', 'warned cost')),
      noted_by text,
      noted_at timestamptz not null default now(),
      primary key (scope, day, kind)
    )`.execute(db)
  await sql`create index usage_by_caller on usage (caller_id, created_at)`.execute(db)
  await sql`create index turn_by_caller on turn (caller_id)`.execute(db)
}
