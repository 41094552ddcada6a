import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import { executeAll, grantApp } from './grant-app.ts'
import { waysToChangeAudit } from './ways-to-change-audit.ts'

/** Read-only role for the audit, for psql and dashboards. */
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

/** Role of the product in its own database: may append to the audit, never change it (AUD-02). */
export const appRole = 'countersign_app'

/**
 * Creates the roles and grants exactly the rights they need. The owner runs it after each migration; it can be repeated.
 * Throws, and changes nothing, if `role` could change the audit by other means.
 */
export async function grantAppRole(db: Db, role = appRole): Promise<void> {
  // One transaction, so that the app never has more rights in between.
  await db.transaction().execute(async (owner) => {
    // PostgreSQL refuses concurrent grants on the same object.
    await lockByName(owner, 'grant roles')
    await ensureRole(owner, role)
    const reader = await ensureReader(owner)
    await grantApp(owner, role)
    if (reader !== undefined) await grantReader(owner, reader)
    await grantConnect(owner, reader === undefined ? [role] : [role, reader])
    const ways = await waysToChangeAudit(owner, role)
    if (ways.length > 0) throw new Error(tooPowerful(role, ways))
  })
}

function tooPowerful(role: string, ways: readonly string[]): string {
  return `the role ${role} could change the audit whatever it is granted: it ${ways.join(', ')}, or belongs to such a role`
}

/**
 * Allows only these roles and the owner to connect, since another Countersign on the same server has its own roles. Does
 * nothing if this role may not decide that.
 */
async function grantConnect(db: Db, roles: readonly string[]): Promise<void> {
  const { rows } = await sql<{ database: string; may: boolean }>`
    select datname as database, pg_has_role(datdba, 'usage') as may
    from pg_database where datname = current_database()`.execute(db)
  const [here] = rows
  if (here === undefined || !here.may) return
  const database = sql.id(here.database)
  const names = sql.join(roles.map((role) => sql.id(role)))
  await executeAll(db, [
    sql`revoke connect on database ${database} from public`,
    sql`grant connect on database ${database} to ${names}`,
  ])
}

/**
 * Creates the reader role and returns its name; undefined if it is missing and this role may not create it, which the
 * product tolerates.
 */
async function ensureReader(db: Db): Promise<string | undefined> {
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

async function grantReader(db: Db, name: string): Promise<void> {
  const role = sql.id(name)
  const views = sql.join(readable.map((view) => sql.table(view)))
  await executeAll(db, [
    sql`grant usage on schema public to ${role}`,
    sql`grant select on ${views} to ${role}`,
  ])
}

/** Creates a role. Roles are shared by the whole server, so another database may be creating the same one. */
async function ensureRole(db: Db, name: string): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = ${sql.lit(name)}) then
        create role ${sql.id(name)} login;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db)
}

async function hasRole(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_roles where rolname = ${name}`.execute(db)
  return rows.length > 0
}
