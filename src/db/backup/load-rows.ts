import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { StoredTable } from './stored-tables.ts'

/**
 * Inserts rows as `readRows` produced them, with the columns named in `table`, including identity values. Returns the
 * number of rows.
 */
export async function loadRows(db: Db, table: StoredTable, lines: string): Promise<number> {
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
