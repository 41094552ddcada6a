import { plainText } from '../print.ts'
import type { AuditEntry } from './find-audited.ts'
import type { AuditBatch } from './list-audit.ts'

const headings = [
  'TIME',
  'CALLER',
  'TOOL',
  'VERDICT',
  'RESULT',
  'EXIT',
  'DURATION',
  'DECIDED BY',
  'ARGUMENTS',
]

/** Creates a formatter of table lines, one a call. The headings precede the first lines, and columns never become narrower. */
export function createAuditTable(): (batch: AuditBatch) => readonly string[] {
  let widths: readonly number[] = headings.map((heading) => heading.length)
  let hasHeadings = false
  return ({ entries }) => {
    const rows = entries.map((entry) => cellsOf(joinEntry(entry)))
    if (rows.length === 0) return []
    widths = widths.map((width, index) =>
      Math.max(width, ...rows.map((row) => lengthOf(row[index]))),
    )
    const shown = hasHeadings ? rows : [headings, ...rows]
    hasHeadings = true
    return shown.map((row) => align(row, widths))
  }
}

const longestCell = 60

function cellsOf(entry: JoinedEntry): readonly string[] {
  const text = (name: string): string => fieldText(entry, name)
  const cells = [
    text('at').replace(/\.\d+Z$/, 'Z'),
    text('caller_id'),
    text('tool') || `(${text('kind')})`,
    text('verdict'),
    `${text('result')}${triesText(entry['tries'])}`,
    text('exit_code'),
    durationText(entry['duration_ms']),
    text('decided_by'),
    text('arguments') || text('note'),
  ]
  return cells.map((cell) => shorten(plainText(cell)))
}

/** ERR-03: number of tries, if more than one. */
function triesText(value: unknown): string {
  return typeof value === 'number' && value > 1 ? ` (${value} tries)` : ''
}

function durationText(value: unknown): string {
  if (typeof value !== 'number') return ''
  if (value < 1000) return `${Math.round(value)}ms`
  const seconds = value / 1000
  if (seconds < 60) return `${seconds.toFixed(1)}s`
  return `${Math.floor(seconds / 60)}m${String(Math.floor(seconds % 60)).padStart(2, '0')}s`
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length <= longestCell
    ? text
    : `${characters.slice(0, longestCell - 1).join('')}…`
}

function align(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, index) => {
    const missing = (widths[index] ?? 0) - lengthOf(cell)
    return cell + ' '.repeat(missing)
  })
  return cells.join('  ').trimEnd()
}

function lengthOf(text = ''): number {
  return [...text].length
}

/** Call with the last decision, its result and other fields, by their names in the audit. */
type JoinedEntry = Readonly<Record<string, unknown>>

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
