import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { StoredTable } from './stored-tables.ts'

/** Rows of one table as JSON lines. */
export interface RowsPart {
  readonly rows: number
  readonly lines: Buffer
}

/** Target size of a part in bytes; a part has at least one row. */
const partBytes = 1024 * 1024
const maxRows = 256
/** Tables whose rows can be as large as a file. */
const large = new Set(['attachment', 'tool_overflow'])

/**
 * Reads a table in parts of about 1 MiB. Call in a transaction, whose snapshot is read. Times are in UTC with full
 * precision; bytes are hexadecimal.
 */
export async function* readRows(db: Db, table: StoredTable): AsyncGenerator<RowsPart> {
  await sql`set local timezone = 'UTC'`.execute(db)
  await sql`set local bytea_output = 'hex'`.execute(db)
  const columns = sql.join(table.columns.map((name) => sql.id(name)))
  await sql`
    declare backup_rows no scroll cursor for
    select row_to_json(r)::text as line
    from (select ${columns} from ${sql.id('public', table.name)}) r`.execute(db)
  let count = large.has(table.name) ? 1 : 16
  for (;;) {
    const { rows } = await sql<{ line: string }>`
      fetch ${sql.lit(count)} from backup_rows`.execute(db)
    if (rows.length === 0) break
    const lines = Buffer.from(`${rows.map(({ line }) => line).join('\n')}\n`)
    yield { rows: rows.length, lines }
    if (large.has(table.name)) continue
    count = Math.max(1, Math.min(maxRows, Math.floor((count * partBytes) / lines.length)))
  }
  await sql`close backup_rows`.execute(db)
}
