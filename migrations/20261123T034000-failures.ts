import { type Kysely, sql } from 'kysely'

/**
 * ERR-03: how often a worker ran a call that is tried again. ERR-06: how each model uses each tool; the counts of a pair are
 * the sums over its rows, of which there are several so that sessions which count at once seldom wait for each other.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tool_call add column tries integer`.execute(db)
  await sql`
    create table model_standing (
      model text not null,
      tool text not null,
      part smallint not null,
      successes bigint not null default 0,
      quality_failures bigint not null default 0,
      last_category text,
      last_failure_at timestamptz,
      primary key (model, tool, part)
    )`.execute(db)
}
