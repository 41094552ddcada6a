import { resolveNames } from '../../src/db/audit/audit-search.ts'
import type { AuditRow, Db } from '../../src/db/schema.ts'

/** All rows of the audit in the order of their numbers, with people by name, as `countersign audit` shows them. */
export async function auditRows(db: Db): Promise<AuditRow[]> {
  return resolveNames(db, await db.selectFrom('audit_log').selectAll().orderBy('id').execute())
}

/** The first row, or the first of its kind. */
export async function firstAuditRow(db: Db, kind?: string): Promise<AuditRow> {
  const row = (await auditRows(db)).find((one) => kind === undefined || one.kind === kind)
  if (row === undefined) throw new Error('the audit has no such row')
  return row
}
