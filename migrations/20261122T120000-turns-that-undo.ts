import { type Kysely, sql } from 'kysely'

/** BASH-07: a person's `/undo` is a turn of its own, as their own command is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table turn
      drop constraint turn_kind_check,
      add constraint turn_kind_check check (kind in ('message', 'shell', 'undo'))`.execute(db)
}
