import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/**
 * Returns the rights by which a role, by default that of this connection, could change audit rows, directly or through
 * roles it belongs to; empty if it cannot. (A trigger still forbids changes.) Owning or creating objects in the schema
 * counts, since the owner might run them.
 */
export async function waysToChangeAudit(db: Db, name?: string): Promise<readonly string[]> {
  const role = name === undefined ? sql`current_user` : sql.lit(name)
  const { rows } = await sql<{ way: string }>`
    with recursive ${audit}, ${place}, acting as (
      select * from pg_roles where pg_has_role(${role}, oid, 'member')
    )
    select way from (values ${sql.join(ways.map(([way, which]) => sql`(${sql.lit(way)}, exists (select from acting, place where ${which}))`))}) as known (way, has)
    where has`.execute(db)
  return rows.map(({ way }) => way)
}

/** The tables of the audit, their partitions, and views on them, some of which are updatable. */
const audit = sql`
  audit (id) as (
    select to_regclass(name)::oid
    from unnest(array['audit_log', 'audit_checkpoint', 'audit_cut']) name
    union
    select next.id from audit cross join lateral (
      select inhrelid as id from pg_inherits where inhparent = audit.id
      union all
      select ev_class from pg_depend join pg_rewrite on pg_rewrite.oid = objid
      where classid = 'pg_rewrite'::regclass and refclassid = 'pg_class'::regclass
        and refobjid = audit.id
    ) next
  )`

const place = sql`
  place as (
    select pg_namespace.oid as schema, nspowner as schema_owner, pg_database.oid as database, datdba
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace, pg_database
    where pg_class.oid = to_regclass('audit_log') and datname = current_database()
  )`

const ways = [
  ['is a superuser', sql`rolsuper`],
  ['may make roles', sql`rolcreaterole`],
  [
    'may write files or run programs on the server',
    sql`rolname in ('pg_write_server_files', 'pg_execute_server_program')`,
  ],
  ['owns the database', sql`acting.oid = datdba`],
  ['owns the schema', sql`acting.oid = schema_owner`],
  ['may create in the database', sql`has_database_privilege(acting.oid, database, 'create')`],
  ['may create in the schema', sql`has_schema_privilege(acting.oid, schema, 'create')`],
  [
    'owns tables, functions or operators of the schema',
    sql`exists (select from pg_class where relnamespace = schema and relowner = acting.oid)
      or exists (select from pg_proc where pronamespace = schema and proowner = acting.oid)
      or exists (select from pg_operator where oprnamespace = schema and oprowner = acting.oid)`,
  ],
  [
    'has rights on the audit',
    sql`exists (
      select from audit join pg_class on pg_class.oid = audit.id
      where has_table_privilege(acting.oid, audit.id, 'update, delete, truncate, trigger')
        or has_any_column_privilege(acting.oid, audit.id, 'update')
    )`,
  ],
] as const
