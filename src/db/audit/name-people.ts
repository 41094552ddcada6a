import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { AuditRow, Db } from '../schema.ts'
import { findAuditNames } from './audit-people.ts'

const pseudonym = /person:[0-9a-f]{40}/gu

/**
 * Rows of the audit with caller ids in the place of pseudonyms, in their columns and in who asked, who decided and the
 * remark of their text; those of forgotten people stay.
 */
export async function withNames(db: Db, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const aliases = new Set(rows.flatMap(({ body }) => body.match(pseudonym) ?? []))
  const names = await findAuditNames(db, [...aliases])
  if (names.size === 0) return [...rows]
  const named = (text: string) => text.replace(pseudonym, (alias) => names.get(alias) ?? alias)
  return rows.map((row) => ({
    ...row,
    caller_id: row.caller_id === null ? null : named(row.caller_id),
    decided_by: row.decided_by === null ? null : named(row.decided_by),
    body: nameIn(row.body, named),
  }))
}

/** Who can write to the database may have put anything there. */
function nameIn(body: string, named: (text: string) => string): string {
  const fields = tryParseJson(body)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return body
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, personal.has(name) && typeof value === 'string' ? named(value) : value]
  })
  return JSON.stringify(Object.fromEntries(entries))
}

const personal: ReadonlySet<string> = new Set(['caller_id', 'decided_by', 'note'])
