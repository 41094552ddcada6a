import { oneLineJson } from '../one-line-json.ts'
import type { AuditLine } from './find-audited.ts'

/** A stored row as one line of JSON, without the fields that are null. */
export function jsonLine({ id, fields, row }: AuditLine): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  const shown =
    known.length > 0 ? Object.fromEntries(known) : { id, chain: row.chain, unreadable: row.body }
  return oneLineJson(shown)
}
