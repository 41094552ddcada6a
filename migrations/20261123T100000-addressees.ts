import { type Kysely, sql } from 'kysely'

/**
 * SLACK-01, THREAT-6: where several people write commands, each is answered by a path of their own, so that a message says whom it
 * answers. What was kept without a name is dropped: it was good for half an hour.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table outbox add column addressee text`.execute(db)
  await sql`delete from reply_path`.execute(db)
  await sql`
    alter table reply_path
      drop constraint reply_path_pkey,
      add column caller_id text not null,
      add primary key (conversation_id, caller_id)`.execute(db)
}
