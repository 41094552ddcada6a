import { sql } from 'kysely'
import type { Db } from '../schema.ts'

interface ForeignKey {
  readonly table_name: string
  readonly name: string
  readonly definition: string
}

/**
 * Runs `work` with all foreign keys dropped, so that rows can be inserted in any order, and then restores and checks the
 * keys.
 */
export async function withoutForeignKeys<R>(db: Db, work: () => Promise<R>): Promise<R> {
  const { rows } = await sql<ForeignKey>`
    select r.relname as table_name, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where c.connamespace = 'public'::regnamespace and c.contype = 'f' and c.conparentid = 0
    order by 1, 2`.execute(db)
  for (const { table_name, name } of rows) {
    await sql`alter table ${sql.id('public', table_name)} drop constraint ${sql.id(name)}`.execute(
      db,
    )
  }
  const result = await work()
  for (const { table_name, name, definition } of rows) {
    await sql`
      alter table ${sql.id('public', table_name)}
      add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(db)
  }
  return result
}
