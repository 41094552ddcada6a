import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'
import { scramVerifier } from './scram-verifier.ts'

/** The role the product works as in its own database: it can add to the audit, never change it (AUD-02). */
export const appRole = 'countersign_app'

/** Who reads the audit and changes nothing, for psql and dashboards. */
export const readerRole = 'countersign_reader'

/** As whom processes apart connect. */
export interface AppLogin {
  readonly role: string
  readonly password: string
}

/**
 * Makes the roles and gives them what they need; run by the owner after each migration, safe to repeat. With a `login` the
 * app's role is that one, and has that password from now on. Throws, and changes nothing, where the role could change the
 * audit all the same: it is the owner, a superuser, or a member of one.
 */
export async function grantAppRole(db: Db, login?: AppLogin): Promise<void> {
  const role = login?.role ?? appRole
  // At once: between two statements the app could do more than it may.
  await db.transaction().execute(async (owner) => {
    await ensureRole(owner, role)
    await ensureRole(owner, readerRole, sql`set default_transaction_read_only = on`)
    await grantApp(owner, role)
    await grantReader(owner)
    if (await canChangeAudit(owner, role)) throw new Error(tooMighty(role))
    if (login !== undefined) await setPassword(owner, login)
  })
}

function tooMighty(role: string): string {
  return `the role ${role} could change the audit whatever it is granted: it owns the tables, is a superuser, or belongs to such a role`
}

function setPassword(db: Db, { role, password }: AppLogin): Promise<unknown> {
  const verifier = sql.lit(scramVerifier(password))
  return sql`alter role ${sql.id(role)} login password ${verifier}`.execute(db)
}

/** Roles belong to the whole server: another database of it may just be making the same one. */
async function ensureRole(db: Db, name: string, setting?: RawBuilder<unknown>): Promise<void> {
  const role = sql.id(name)
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = ${sql.lit(name)}) then
        create role ${role} login;
        ${setting === undefined ? sql`` : sql`alter role ${role} ${setting};`}
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db)
}

async function grantApp(db: Db, name: string): Promise<void> {
  const role = sql.id(name)
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select, insert, update, delete on all tables in schema public to ${role}`.execute(
    db,
  )
  await sql`grant usage on all sequences in schema public to ${role}`.execute(db)
  await sql`revoke update, delete, truncate on audit_log, audit_checkpoint from ${role}`.execute(db)
  await sql`revoke delete, truncate on audit_head from ${role}`.execute(db)
  await sql`revoke insert, update, delete, truncate on audit_cut from ${role}`.execute(db)
  // It may see which steps were taken, and say that one is missing; taking them is the owner's.
  await sql`revoke insert, update, delete, truncate on kysely_migration, kysely_migration_lock from ${role}`.execute(
    db,
  )
  // A partition has rights of its own; the app reaches its rows through the table alone.
  for (const partition of await findPartitions(db)) {
    await sql`revoke all on ${sql.table(partition)} from ${role}`.execute(db)
  }
}

const readable = [
  'audit_calls',
  'audit_approvals',
  'audit_waiting',
  'audit_denials',
  'audit_by_caller',
  'audit_egress',
  'tool_health',
  'audit_log',
  'audit_head',
  'audit_checkpoint',
  'audit_cut',
]

async function grantReader(db: Db): Promise<void> {
  const role = sql.id(readerRole)
  await sql`grant usage on schema public to ${role}`.execute(db)
  await sql`grant select on ${sql.join(readable.map((name) => sql.table(name)))} to ${role}`.execute(
    db,
  )
}

async function findPartitions(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'audit_log'::regclass`.execute(db)
  return rows.map(({ name }) => name)
}

/** Whether a role, by default this connection's, could change audit rows by its rights alone (a trigger still forbids it). */
export async function canChangeAudit(db: Db, name?: string): Promise<boolean> {
  const role = name === undefined ? sql`current_user` : sql.lit(name)
  const { rows } = await sql<{ can: boolean }>`
    select bool_or(
      has_table_privilege(${role}, oid, 'update, delete, truncate')
        or pg_has_role(${role}, relowner, 'member')
    ) as can
    from pg_class where oid = 'audit_log'::regclass
      or oid in (select inhrelid from pg_inherits where inhparent = 'audit_log'::regclass)`.execute(
    db,
  )
  return rows[0]?.can === true
}
