import { type Kysely, sql } from 'kysely'

/** CARD-07: cards that propose a rule for what was approved often, and the weeks for which operators got a digest. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table approval add column offers_rule boolean not null default false`.execute(db)
  // Patterns may be longer than an entry of an index.
  await sql`create index approval_kind on approval (tool, md5(always_patterns), created_at)`.execute(
    db,
  )
  await sql`create table weekly_digest (week date primary key)`.execute(db)
}
