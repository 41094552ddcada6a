import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Roles belong to the whole server: another database of it may just be making the same one. */
export async function ensureRole(db: Db, name: string): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = ${sql.lit(name)}) then
        create role ${sql.id(name)} login;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db)
}

export async function hasRole(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${name}`.execute(db)
  return rows.length > 0
}
