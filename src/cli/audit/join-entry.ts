import type { AuditEntry } from './find-audited.ts'

/** Call with the last decision, its result and other fields, by their names in the audit. */
export type JoinedEntry = Readonly<Record<string, unknown>>

/** Merges the rows of a call. Fields of `settled` rows override those of late results. */
export function joinEntry({ lines }: AuditEntry): JoinedEntry {
  const weightOf = (kind: string): number => ['decided', 'settled'].indexOf(kind)
  const ordered = lines.toSorted((a, b) => weightOf(a.kind) - weightOf(b.kind) || a.id - b.id)
  const joined = Object.assign({}, ...ordered.map(({ fields }) => fields))
  const [first] = lines
  return first === undefined ? joined : { ...joined, at: first.at.toISOString() }
}

/** Formats a field: empty if absent, JSON if it has parts. */
export function fieldText(entry: JoinedEntry, name: string): string {
  const value = entry[name]
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
