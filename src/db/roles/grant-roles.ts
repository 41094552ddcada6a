import { sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import { grantApp } from './grant-app.ts'
import { waysToChangeAudit } from './ways-to-change-audit.ts'

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

/** The role the product works as in its own database: it can add to the audit, never change it (AUD-02). */
export const appRole = 'countersign_app'

/**
 * Makes the roles and gives them what they need, and no more; run by the owner after each migration, safe to repeat. Throws,
 * and changes nothing, where `role` could change the audit all the same.
 */
export async function grantAppRole(db: Db, role = appRole): Promise<void> {
  // At once: between two statements the app could do more than it may.
  await db.transaction().execute(async (owner) => {
    // PostgreSQL refuses to give rights on one thing from two sides at a time.
    await lockByName(owner, 'grant roles')
    await ensureRole(owner, role)
    const reader = await ensureReader(owner)
    await grantApp(owner, role)
    if (reader !== undefined) await grantReader(owner, reader)
    await grantConnect(owner, reader === undefined ? [role] : [role, reader])
    const ways = await waysToChangeAudit(owner, role)
    if (ways.length > 0) throw new Error(tooMighty(role, ways))
  })
}

function tooMighty(role: string, ways: readonly string[]): string {
  return `the role ${role} could change the audit whatever it is granted: it ${ways.join(', ')}, or belongs to such a role`
}

/**
 * Only these roles, and the owner, come into the database: another Countersign of the same server has roles of its own. Does
 * nothing where that is not for this role to say.
 */
async function grantConnect(db: Db, roles: readonly string[]): Promise<void> {
  const { rows } = await sql<{ database: string; may: boolean }>`
    select datname as database, pg_has_role(datdba, 'usage') as may
    from pg_database where datname = current_database()`.execute(db)
  const [here] = rows
  if (here === undefined || !here.may) return
  const database = sql.id(here.database)
  await sql`revoke connect on database ${database} from public`.execute(db)
  const names = sql.join(roles.map((role) => sql.id(role)))
  await sql`grant connect on database ${database} to ${names}`.execute(db)
}

/** Its name; undefined where there is none and this role may make none: the product works without. */
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
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select on ${views} to ${role}`.execute(db)
}

/** Roles belong to the whole server: another database of it may just be making the same one. */
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
