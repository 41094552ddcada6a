import { type Kysely, sql } from 'kysely'

/**
 * LOOP-12: summaries of the oldest turns of a session (one that was dropped without a summary has no words), and what makes room
 * in the transcript besides: shortened arguments and messages, steps that are left out. Of a model call: the budget it was made
 * under, and whether the server refused its prompt as too long.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table transcript_summary (
      id uuid primary key,
      session_id uuid not null references session on delete cascade,
      turn_id uuid not null references turn on delete cascade,
      from_position bigint not null,
      to_position bigint not null check (to_position > from_position),
      summary text,
      body text not null,
      turns integer not null,
      messages integer not null,
      authors text not null,
      is_dropped boolean not null,
      created_at timestamptz not null default now(),
      unique (session_id, to_position)
    )`.execute(db)
  await sql`create index transcript_summary_turn on transcript_summary (turn_id)`.execute(db)
  await sql`alter table tool_call add column compacted_arguments text`.execute(db)
  await sql`
    alter table message
      add column shortened text,
      add column is_left_out boolean not null default false`.execute(db)
  await sql`
    alter table usage
      add column budget_tokens integer,
      add column is_too_long boolean not null default false`.execute(db)
}
