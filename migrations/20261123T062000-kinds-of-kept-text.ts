import { type Kysely, sql } from 'kysely'

/**
 * OUT-10: which attachments were made of an output, and so may go: by a column, as anybody may give a file any name. And which texts
 * of a call made room in the transcript (LOOP-12), as those are not all that it gave.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attachment add column is_output boolean not null default false`.execute(db)
  await sql`
    create index attachment_output on attachment (conversation_id, sha256) where is_output`.execute(
    db,
  )
  await sql`
    alter table tool_overflow
      add column kind text not null default 'whole' check (kind in ('whole', 'compacted'))`.execute(
    db,
  )
  await sql`
    update tool_overflow set kind = 'compacted' from tool_call
    where tool_call.id = tool_overflow.call_id
      and strpos(tool_call.compacted, 'overflow:' || tool_overflow.id) > 0`.execute(db)
}
