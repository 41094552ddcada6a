import { type Kysely, sql } from 'kysely'

/** CHAT-01: who was told what a code that links accounts would do. Only from them does a yes count. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table pairing_code add column asked text`.execute(db)
}
