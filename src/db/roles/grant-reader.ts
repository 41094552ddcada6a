import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { hasRole } from './ensure-role.ts'

/** Who reads the audit and changes nothing, for psql and dashboards. */
export const readerRole = 'countersign_reader'

const readable = [
  'audit_calls',
  'audit_approvals',
  'audit_waiting',
  'audit_denials',
  'audit_by_caller',
  'audit_questions',
  'audit_approved',
  'audit_egress',
  'tool_health',
  'audit_people',
  'audit_log',
  'audit_head',
  'audit_checkpoint',
  'audit_cut',
]

/** Its name; undefined where there is none and this role may make none: the product works without. */
export async function ensureReader(db: Db): Promise<string | undefined> {
  const role = sql.id(readerRole)
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = ${sql.lit(readerRole)}) then
        create role ${role} login;
        alter role ${role} set default_transaction_read_only = on;
      end if;
    exception when duplicate_object or unique_violation or insufficient_privilege then null;
    end $$`.execute(db)
  return (await hasRole(db, readerRole)) ? readerRole : undefined
}

export async function grantReader(db: Db, name: string): Promise<void> {
  const role = sql.id(name)
  const views = sql.join(readable.map((view) => sql.table(view)))
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select on ${views} to ${role}`.execute(db)
}
