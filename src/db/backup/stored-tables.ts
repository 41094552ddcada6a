import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Target size of a part in bytes; a part has at least one row. */
const partBytes = 1024 * 1024

const maxRows = 256

/** Tables whose rows can be as large as a file. */
const large = new Set(['attachment', 'tool_overflow'])

/** Table with its columns in order, without generated columns. */
export interface StoredTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** Tables left out of a backup: current leases and processes, and migration records, which a restore writes itself. */
const leftOut = [
  'kysely_migration',
  'kysely_migration_lock',
  'lease',
  'agent',
  'worker',
  'restore_unfinished',
]

/** Returns all tables of the schema `public` that a backup contains. Partitions count as their table. */
export async function findStoredTables(db: Db): Promise<readonly StoredTable[]> {
  const { rows } = await sql<StoredTable>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> all(${leftOut})
    group by c.relname order by c.relname`.execute(db)
  return rows
}

/** Returns the last value of each used sequence, by name. */
export async function findSequences(db: Db): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ name: string; last: string }>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = 'public' and last_value is not null`.execute(db)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/** Returns the months that have an audit partition, as `2026-11-01`. */
export async function findAuditMonths(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ month: string }>`
    select regexp_replace(c.relname, '^audit_log_(\\d{4})_(\\d\\d)$', '\\1-\\2-01') as month
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('public.audit_log') and c.relname ~ '^audit_log_\\d{4}_\\d\\d$'
    order by 1`.execute(db)
  return rows.map(({ month }) => month)
}

/** Rows of one table as JSON lines. */
interface RowsPart {
  readonly rows: number
  readonly lines: Buffer
}

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
