import { leftOut, type Strategy } from './strategy.ts'

const sections: ReadonlyMap<string, string> = new Map([
  ['Changes to be committed:', 'Staged:'],
  ['Changes not staged for commit:', 'Unstaged:'],
  ['Untracked files:', 'Untracked:'],
  ['Unmerged paths:', 'Unmerged:'],
  ['Ignored files:', 'Ignored:'],
])

/** Git's hints for beginners. */
const hint = /^ {2}\(.*\)$|^no changes added to commit|^nothing added to commit but/

/**
 * Shortens git's long status: shorter headings, no hints, no blank lines. The branch and all staged, unstaged, unmerged and
 * untracked files stay, and so does every line that is not git's; deletions stay unchanged. The short format is left as it is.
 */
export const gitStatus: Strategy = ({ lines, kept, failed }) => {
  if (failed || !lines.some(isStatus)) return { lines, confidence: 'fallback' }
  const rest = lines.flatMap((line, at) => {
    if (line === '' || hint.test(line)) return []
    if (kept[at] !== 0 && !line.startsWith('\t')) return [line]
    return [
      sections.get(line) ??
        line.replace(/^\t/, '  ').replace(/^( {2}(?!deleted)[a-z ]+:) +/, '$1 '),
    ]
  })
  return { lines: rest, confidence: 'full' }
}

function isStatus(line: string): boolean {
  return /^(?:On branch |HEAD detached |Not currently on any branch|nothing to commit)/.test(line)
}

/** One file of a diff: `[from, body)` is its header, `[body, end)` its hunks, `[end, next)` other text. */
interface DiffPart {
  readonly from: number
  readonly body: number
  readonly end: number
  readonly next: number
}

/** Keeps the header of every file and at most `maxLines` lines of hunks in total, shared fairly among the files. */
export function createGitDiff(maxLines: number): Strategy {
  return ({ lines, kept }) => {
    const parts = splitDiff(lines)
    if (parts.length === 0) return { lines, confidence: 'fallback' }
    const sizes = parts.map(({ body, end }) => end - body)
    const share = fairShare(sizes, maxLines)
    if (sizes.every((size) => size <= share)) return { lines, confidence: 'full' }
    const rest = lines.slice(0, parts[0]?.from)
    for (const { from, body, end, next } of parts) {
      const shown = Math.min(end, body + share)
      for (let at = from; at < shown; at += 1) rest.push(lines[at] ?? '')
      if (shown < end) rest.push(...cut(lines, kept, shown, end))
      for (let at = end; at < next; at += 1) rest.push(lines[at] ?? '')
    }
    return { lines: rest, confidence: 'partial' }
  }
}

function splitDiff(lines: readonly string[]): readonly DiffPart[] {
  const starts = lines.flatMap((line, at) => (isFileStart(line) ? [at] : []))
  return starts.map((from, index) => {
    const next = starts[index + 1] ?? lines.length
    let body = from
    while (body < next && !isHunkStart(lines[body] ?? '')) body += 1
    return { from, body, end: bodyEnd(lines, body, next), next }
  })
}

function isFileStart(line: string): boolean {
  return line.startsWith('diff --git ') || line.startsWith('diff --cc ')
}

function isHunkStart(line: string): boolean {
  return line.startsWith('@@')
}

/** End of the hunks: the first line that is not part of one, such as the next commit of a log. */
function bodyEnd(lines: readonly string[], body: number, next: number): number {
  let end = body
  while (end < next && isDiffLine(lines[end] ?? '')) end += 1
  return end
}

function isDiffLine(line: string): boolean {
  return /^[-+ @\\]/.test(line)
}

/** Maximum lines per file so that the total is at most `most`: small files leave their share to larger ones. */
function fairShare(sizes: readonly number[], most: number): number {
  let room = most
  let files = sizes.length
  for (const size of sizes.toSorted((a, b) => a - b)) {
    const share = Math.floor(room / files)
    if (size > share) return share
    room -= size
    files -= 1
  }
  return Number.POSITIVE_INFINITY
}

function cut(
  lines: readonly string[],
  kept: Uint8Array,
  from: number,
  to: number,
): readonly string[] {
  const stay = lines.slice(from, to).filter((_line, at) => kept[from + at] !== 0)
  return [leftOut(to - from - stay.length, 'diff line'), ...stay]
}
