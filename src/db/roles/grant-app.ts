import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../schema.ts'

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
export async function grantApp(db: Db, name: string): Promise<void> {
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
export async function executeAll(
  db: Db,
  statements: readonly RawBuilder<unknown>[],
): Promise<void> {
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
