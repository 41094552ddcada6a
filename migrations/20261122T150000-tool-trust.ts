import { type Kysely, sql } from 'kysely'

/** POL-03, POL-04: how far each tool is trusted, and how its last executions ended. A tool without a row is trusted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table tool_trust (
      tool text primary key,
      level text not null check (level in ('trusted', 'verified', 'quarantined', 'blocked')),
      set_by text not null,
      reason text,
      set_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table tool_outcome (
      id bigint generated always as identity,
      tool text not null,
      failed boolean not null,
      primary key (tool, id)
    )`.execute(db)
  await sql`
    create table tool_incident (
      tool text primary key,
      failed integer not null,
      executions integer not null,
      began_at timestamptz not null default now()
    )`.execute(db)
}
