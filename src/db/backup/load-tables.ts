import type { Db } from '../schema.ts'
import { loadRows } from './load-rows.ts'
import { findStoredTables, type StoredTable } from './stored-tables.ts'

/** Result of comparing the columns of a backup with those of the database. */
export interface ColumnMatch {
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
