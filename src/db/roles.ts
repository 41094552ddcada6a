import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** The role the product works as in its own database: it can add to the audit, never change it (AUD-02). */
export const appRole = 'countersign_app'

/** Makes the role and gives it what it needs; run by the owner after each migration, safe to repeat. */
export async function grantAppRole(db: Db): Promise<void> {
  const role = sql.id(appRole)
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = ${sql.lit(appRole)}) then
        create role ${role} login;
      end if;
    end $$`.execute(db)
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select, insert, update, delete on all tables in schema public to ${role}`.execute(
    db,
  )
  await sql`grant usage on all sequences in schema public to ${role}`.execute(db)
  await sql`revoke update, delete, truncate on audit_log, audit_checkpoint from ${role}`.execute(db)
}

/** Whether this connection could change audit rows by its rights alone (a trigger still forbids it). */
export async function canChangeAudit(db: Db): Promise<boolean> {
  const { rows } = await sql<{ can: boolean }>`
    select has_table_privilege('audit_log', 'update') or has_table_privilege('audit_log', 'delete') as can`.execute(
    db,
  )
  return rows[0]?.can === true
}
