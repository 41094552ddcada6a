import { type Kysely, sql } from 'kysely'

/** Which rules each agent works with, and since when: they must be the same. Null: an agent from before this step. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table agent
    add column host text,
    add column rules_worker text,
    add column rules_path text,
    add column rules_sha256 text,
    add column rules_since timestamptz`.execute(db)
}
