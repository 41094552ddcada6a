import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { findStoredTables, type StoredTable } from './stored-tables.ts'

/** Result of comparing the columns of a backup with those of the database. */
interface ColumnMatch {
  /** Common columns, by table name. */
  readonly common: ReadonlyMap<string, StoredTable>
  /** Tables, and columns as `table.column`, that only the backup has. */
  readonly lacking: readonly string[]
}

/** Compares the tables of a backup with those of a database. */
export async function matchTables(db: Db, tables: readonly StoredTable[]): Promise<ColumnMatch> {
  const here = new Map((await findStoredTables(db)).map(({ name, columns }) => [name, columns]))
  const common = new Map<string, StoredTable>()
  const lacking: string[] = []
  for (const { name, columns } of tables) {
    const known = here.get(name)
    if (known === undefined) lacking.push(name)
    else common.set(name, { name, columns: columns.filter((column) => known.includes(column)) })
    const gone = columns.filter((column) => known !== undefined && !known.includes(column))
    lacking.push(...gone.map((column) => `${name}.${column}`))
  }
  return { common, lacking }
}

/** Inserts one part of a table; returns the number of rows, 0 if the database has no such table. */
export async function loadPart(
  db: Db,
  { common }: ColumnMatch,
  part: { readonly table: string; readonly lines: string },
): Promise<number> {
  const table = common.get(part.table)
  if (table === undefined || table.columns.length === 0) return 0
  return await loadRows(db, table, part.lines)
}

/**
 * Inserts rows as `readRows` produced them, with the columns named in `table`, including identity values. Returns the
 * number of rows.
 */
async function loadRows(db: Db, table: StoredTable, lines: string): Promise<number> {
  const name = sql.id('public', table.name)
  const columns = sql.join(table.columns.map((column) => sql.id(column)))
  const rows = `[${lines.trimEnd().split('\n').join(',')}]`
  const { numAffectedRows = 0n } = await sql`
    insert into ${name} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${name}, ${rows}::json)`.execute(db)
  return Number(numAffectedRows)
}

/** Sets sequences to their values in the backup; unknown sequences are skipped. */
export async function setSequences(db: Db, last: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(last)) {
    await sql`
      select setval(s.oid::regclass, ${value}::bigint) from pg_class s
      where s.relnamespace = 'public'::regnamespace and s.relkind = 'S' and s.relname = ${name}`.execute(
      db,
    )
  }
}

/** Creates missing audit partitions for the months of the backup. */
export async function makeAuditMonths(db: Db, months: readonly string[]): Promise<void> {
  for (const month of months) {
    const name = `audit_log_${month.slice(0, 4)}_${month.slice(5, 7)}`
    await sql`
      select make_audit_partition(${month}::timestamp)
      where to_regclass(${`public.${name}`}) is null`.execute(db)
  }
}

interface ForeignKey {
  readonly table_name: string
  readonly name: string
  readonly definition: string
}

/**
 * Runs `work` with all foreign keys dropped, so that rows can be inserted in any order, and then restores and checks the
 * keys.
 */
export async function withoutForeignKeys<R>(db: Db, work: () => Promise<R>): Promise<R> {
  const { rows } = await sql<ForeignKey>`
    select r.relname as table_name, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class r on r.oid = c.conrelid
    where c.connamespace = 'public'::regnamespace and c.contype = 'f' and c.conparentid = 0
    order by 1, 2`.execute(db)
  for (const { table_name, name } of rows) {
    await sql`alter table ${sql.id('public', table_name)} drop constraint ${sql.id(name)}`.execute(
      db,
    )
  }
  const result = await work()
  for (const { table_name, name, definition } of rows) {
    await sql`
      alter table ${sql.id('public', table_name)}
      add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(db)
  }
  return result
}
