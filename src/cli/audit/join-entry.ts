import type { AuditEntry } from './find-audited.ts'

/** A call in one: what was decided last, how it ended, and what else is known of it. Names are those of the audit. */
export type JoinedEntry = Readonly<Record<string, unknown>>

/** Puts the rows of a call together; what was settled counts more than a late result that changed nothing. */
export function joinEntry({ lines }: AuditEntry): JoinedEntry {
  const weightOf = (kind: string): number => ['decided', 'settled'].indexOf(kind)
  const ordered = lines.toSorted((a, b) => weightOf(a.kind) - weightOf(b.kind) || a.id - b.id)
  const joined = Object.assign({}, ...ordered.map(({ fields }) => fields))
  const [first] = lines
  return first === undefined ? joined : { ...joined, at: first.at.toISOString() }
}

/** A field as text: nothing for what is absent, JSON for what has parts. */
export function fieldText(entry: JoinedEntry, name: string): string {
  const value = entry[name]
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
