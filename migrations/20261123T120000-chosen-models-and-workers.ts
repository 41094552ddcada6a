import { type Kysely, sql } from 'kysely'

/** What people choose in a chat: the model of a session, the worker of a conversation; and what an agent has to choose from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column model text`.execute(db)
  await sql`alter table conversation add column worker text`.execute(db)
  await sql`alter table agent add column models text not null default '[]'`.execute(db)
}
