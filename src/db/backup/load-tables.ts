import type { Db } from '../schema.ts'
import { loadRows } from './load-rows.ts'
import { findStoredTables, type StoredTable } from './stored-tables.ts'

/** How a backup's columns fit the tables that are there. */
export interface Fit {
  /** By the table's name: the columns that both have. */
  readonly common: ReadonlyMap<string, StoredTable>
  /** Tables, and columns as `table.column`, that the backup has and the database does not. */
  readonly lacking: readonly string[]
}

/** Compares the tables of a backup with those of a database. */
export async function fitTables(db: Db, tables: readonly StoredTable[]): Promise<Fit> {
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

/** Adds a part of a table; answers how many rows it added, none where the database has no such table. */
export async function loadPart(
  db: Db,
  { common }: Fit,
  part: { readonly table: string; readonly lines: string },
): Promise<number> {
  const table = common.get(part.table)
  if (table === undefined || table.columns.length === 0) return 0
  return await loadRows(db, table, part.lines)
}
