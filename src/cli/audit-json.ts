import type { AuditLine } from '../app/find-audited.ts'

/** A stored row as one line of JSON, without the fields that are null. */
export function jsonLine({ id, fields, row }: AuditLine): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null)
  const shown =
    known.length > 0 ? Object.fromEntries(known) : { id, chain: row.chain, unreadable: row.body }
  return JSON.stringify(shown).replace(hidden, toEscape)
}

/** What JSON leaves as it is and a terminal does not show as it is. */
const hidden = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
