import { type Change, diffLines } from './diff-lines.ts'

const contextLines = 3

/**
 * Formats a unified diff with three lines of context; empty if the texts are equal. `from` is undefined for a new file.
 * Carriage returns are kept; a missing final newline is marked as by diff(1).
 */
export function unifiedDiff(path: string, from: string | undefined, to: string): string {
  const before = toLines(from ?? '')
  const after = toLines(to)
  const hunks = toHunks(diffLines(before, after), before.length)
  if (hunks.length === 0) return ''
  const head = [`--- ${from === undefined ? '/dev/null' : `a/${path}`}`, `+++ b/${path}`]
  return `${[...head, ...hunks.flatMap((hunk) => showHunk(hunk, before, after))].join('\n')}\n`
}

/** Splits into lines with their newlines; the last may have none. */
function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Changes with adjoining context. Line numbers from 0, ends excluded. */
interface Hunk {
  readonly changes: readonly Change[]
  readonly from: number
  readonly to: number
}

function toHunks(changes: readonly Change[], length: number): Hunk[] {
  const hunks: { changes: Change[]; from: number; to: number }[] = []
  for (const change of changes) {
    const from = Math.max(0, change.beforeFrom - contextLines)
    const to = Math.min(length, change.beforeTo + contextLines)
    const last = hunks.at(-1)
    if (last !== undefined && from <= last.to) {
      last.changes.push(change)
      last.to = to
    } else {
      hunks.push({ changes: [change], from, to })
    }
  }
  return hunks
}

function showHunk(hunk: Hunk, before: readonly string[], after: readonly string[]): string[] {
  const lines: string[] = []
  const show = (sign: string, shown: readonly string[]): void => {
    for (const line of shown) lines.push(...showLine(sign, line))
  }
  let at = hunk.from
  for (const change of hunk.changes) {
    show(' ', before.slice(at, change.beforeFrom))
    show('-', before.slice(change.beforeFrom, change.beforeTo))
    show('+', after.slice(change.afterFrom, change.afterTo))
    at = change.beforeTo
  }
  show(' ', before.slice(at, hunk.to))
  const [first] = hunk.changes
  const last = hunk.changes.at(-1)
  if (first === undefined || last === undefined) return []
  const afterFrom = first.afterFrom - (first.beforeFrom - hunk.from)
  const afterTo = last.afterTo + (hunk.to - last.beforeTo)
  return [`@@ -${range(hunk.from, hunk.to)} +${range(afterFrom, afterTo)} @@`, ...lines]
}

/** Formats a range; an empty one names the line before it. */
function range(from: number, to: number): string {
  const count = to - from
  if (count === 1) return String(from + 1)
  return `${count === 0 ? from : from + 1},${count}`
}

function showLine(sign: string, line: string): string[] {
  if (line.endsWith('\n')) return [sign + line.slice(0, -1)]
  return [sign + line, '\\ No newline at end of file']
}
