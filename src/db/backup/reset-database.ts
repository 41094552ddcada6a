import { sql } from 'kysely'
import { doneSteps } from '../lineage/compare-lineage.ts'
import { former, renamed } from '../lineage/history.ts'
import { migrationNames } from '../migrate.ts'
import type { Db } from '../schema.ts'

/** Content of a database: no tables, our tables without data, our data, or tables of another program. */
export type DatabaseContents = 'nothing' | 'empty' | 'data' | 'foreign'

/** Tables whose rows do not count as data. */
const noData = new Set(['kysely_migration', 'kysely_migration_lock', 'restore_unfinished'])

/** Inspects the schema `public`. It counts as ours only if it has at least one of our migrations. */
export async function inspectDatabase(db: Db): Promise<DatabaseContents> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`.execute(db)
  const names = rows.map(({ name }) => name)
  if (names.length === 0) return 'nothing'
  const ours = new Set([...(await migrationNames()), ...renamed.keys(), ...former])
  const isOurs =
    (await doneSteps(db)).some((step) => ours.has(step)) || names.includes('restore_unfinished')
  if (!isOurs) return 'foreign'
  for (const name of names) if (!noData.has(name) && (await hasRow(db, name))) return 'data'
  return 'empty'
}

async function hasRow(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.id('public', table)} limit 1`.execute(db)
  return rows.length > 0
}

/** Drops all tables and other objects in `public`, and the schema of the queue, in one transaction. */
export async function resetDatabase(db: Db): Promise<void> {
  await sql`set local client_min_messages = warning`.execute(db)
  await sql`drop schema if exists bullmq cascade`.execute(db)
  await sql`
    do $$ declare made text; begin
      -- All names are read before the first is gone.
      foreach made in array array(
        select format('drop %s if exists %s cascade', case relkind when 'v' then 'view' else 'table' end,
          oid::regclass)
        from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition
        union all select format('drop sequence if exists %s cascade', oid::regclass) from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'S'
        union all select format('drop function if exists %s cascade', oid::regprocedure) from pg_proc p
        where pronamespace = 'public'::regnamespace
          and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      )
      loop
        execute made;
      end loop;
    end $$`.execute(db)
}

/** Returns application names of our other programs that are connected to this database. */
export async function findOtherConnections(db: Db): Promise<readonly string[]> {
  // pg_stat_activity is cached within a transaction.
  await sql`select pg_stat_clear_snapshot()`.execute(db)
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'countersign%'
      and application_name not in ('countersign restore', 'countersign command')
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}
