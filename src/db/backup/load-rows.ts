import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { StoredTable } from './stored-tables.ts'

/** Adds rows as readRows gave them: the columns named in `table`, also numbers that the database would give itself. */
export async function loadRows(db: Db, table: StoredTable, lines: string): Promise<number> {
  const name = sql.id('public', table.name)
  const columns = sql.join(table.columns.map((column) => sql.id(column)))
  const rows = `[${lines.trimEnd().split('\n').join(',')}]`
  const { numAffectedRows = 0n } = await sql`
    insert into ${name} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${name}, ${rows}::json)`.execute(db)
  return Number(numAffectedRows)
}

/** Goes on counting where the sequences of a backup were; those that are not there are left out. */
export async function setSequences(db: Db, last: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(last)) {
    await sql`
      select setval(s.oid::regclass, ${value}::bigint) from pg_class s
      where s.relnamespace = 'public'::regnamespace and s.relkind = 'S' and s.relname = ${name}`.execute(
      db,
    )
  }
}

/** Makes the partitions that the audit of a backup had, those that are missing. */
export async function makeAuditMonths(db: Db, months: readonly string[]): Promise<void> {
  for (const month of months) {
    const name = `audit_log_${month.slice(0, 4)}_${month.slice(5, 7)}`
    await sql`
      select make_audit_partition(${month}::timestamp)
      where to_regclass(${`public.${name}`}) is null`.execute(db)
  }
}
