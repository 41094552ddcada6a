import { tryParseJson } from '../../util/text/try-parse-json.ts'
import type { AuditRow, Db } from '../schema.ts'
import { findAuditNames } from './audit-people.ts'

const pseudonym = /person:[0-9a-f]{40}/gu

/**
 * Replaces pseudonyms by caller ids in the columns and in the `caller_id`, `decided_by` and `note` of the body.
 * Pseudonyms of forgotten people stay.
 */
export async function resolveNames(db: Db, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const aliases = new Set(rows.flatMap(({ body }) => body.match(pseudonym) ?? []))
  const names = await findAuditNames(db, [...aliases])
  if (names.size === 0) return [...rows]
  const named = (text: string) => text.replace(pseudonym, (alias) => names.get(alias) ?? alias)
  return rows.map((row) => ({
    ...row,
    caller_id: row.caller_id === null ? null : named(row.caller_id),
    decided_by: row.decided_by === null ? null : named(row.decided_by),
    body: resolveNamesIn(row.body, named),
  }))
}

/**
 * Replaces pseudonyms in the JSON body. Text that is not a JSON object is returned unchanged, since a writer to the
 * database may have stored anything.
 */
function resolveNamesIn(body: string, named: (text: string) => string): string {
  const fields = tryParseJson(body)
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return body
  const entries = Object.entries(fields).map(([name, value]) => {
    return [name, personal.has(name) && typeof value === 'string' ? named(value) : value]
  })
  return JSON.stringify(Object.fromEntries(entries))
}

const personal: ReadonlySet<string> = new Set(['caller_id', 'decided_by', 'note'])
