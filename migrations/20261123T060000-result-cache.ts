import { type Kysely, sql } from 'kysely'

/**
 * OUT-11: which call of a session has the result that a later one is answered with; the text itself stays with that call.
 * `turn_id` and `fingerprint` are of results that were made from files. A call's `cached_from` has no foreign key: whatever takes away
 * one call of a session takes away all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table result_cache (
      session_id uuid not null references session on delete cascade,
      key text not null,
      call_id uuid not null unique references tool_call on delete cascade,
      turn_id uuid references turn on delete cascade,
      fingerprint text,
      created_at timestamptz not null default now(),
      primary key (session_id, key),
      check ((turn_id is null) = (fingerprint is null))
    )`.execute(db)
  await sql`create index result_cache_turn on result_cache (turn_id) where turn_id is not null`.execute(
    db,
  )
  await sql`alter table tool_call add column cache_key text, add column cached_from uuid`.execute(
    db,
  )
  await sql`alter table session add column files_changed_at timestamptz`.execute(db)
}
