import { type RawBuilder, sql } from 'kysely'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
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

/** Rights of the app role besides reading, on tables where it does not have full access. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  audit_log: ['insert'],
  audit_checkpoint: ['insert'],
  audit_head: ['insert', 'update'],
  audit_cut: [],
  // Changing or deleting a row would reassign audit rows to another person.
  audit_person: ['insert'],
  // The app may read which migrations were applied; only the owner applies them.
  kysely_migration: [],
  kysely_migration_lock: [],
}

/**
 * Revokes everything and grants again, since more may have been granted by hand or by default privileges. Only the owner
 * may create objects in the schema, because the product would trust them.
 */
async function grantApp(db: Db, name: string): Promise<void> {
  const role = sql.id(name)
  const { tables, views, partitions, sequences } = await findRelations(db)
  const readable = [...tables, ...views]
  const wide = tables.filter((table) => !(table in narrow))
  const allowed = Object.entries(narrow).filter(([, rights]) => rights.length > 0)
  await executeAll(db, [
    sql`revoke create on schema public from public, ${role}`,
    sql`grant usage on schema public to ${role}`,
    sql`revoke all on ${list([...readable, ...partitions])} from ${role}`,
    sql`grant select on ${list(readable)} to ${role}`,
    sql`grant insert, update, delete on ${list(wide)} to ${role}`,
    ...allowed.map(
      ([table, rights]) =>
        sql`grant ${sql.raw(rights.join(', '))} on ${sql.table(table)} to ${role}`,
    ),
    sql`revoke all on sequence ${list(sequences)} from ${role}`,
    sql`grant usage on sequence ${list(sequences)} to ${role}`,
    // Rights granted to PUBLIC apply to every role.
    sql`
      revoke insert, update, delete, truncate, references, trigger
      on ${list([...Object.keys(narrow), ...views, ...partitions])} from public`,
  ])
}

/** Executes statements without parameters in one round trip. */
async function executeAll(db: Db, statements: readonly RawBuilder<unknown>[]): Promise<void> {
  await sql.join(statements, sql`; `).execute(db)
}

function list(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.id('public', name)))
}

interface Relations {
  readonly tables: readonly string[]
  /** An updatable view acts with its owner's rights. */
  readonly views: readonly string[]
  /** A partition has rights of its own; the app accesses its rows only through the table. */
  readonly partitions: readonly string[]
  readonly sequences: readonly string[]
}

/** Returns the relations on which this role may grant rights. */
async function findRelations(db: Db): Promise<Relations> {
  const { rows } = await sql<{ name: string; kind: keyof Relations }>`
    select relname as name,
      case when relispartition then 'partitions' when relkind in ('v', 'm') then 'views'
        when relkind = 'S' then 'sequences' else 'tables' end as kind
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
      and pg_has_role(relowner, 'usage')
    order by relname`.execute(db)
  const of = (kind: keyof Relations) =>
    rows.filter((row) => row.kind === kind).map((row) => row.name)
  return {
    tables: of('tables'),
    views: of('views'),
    partitions: of('partitions'),
    sequences: of('sequences'),
  }
}
