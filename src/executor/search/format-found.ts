import { showName } from '../show-text.ts'
import { bytesOf, type FoundLine, maxFoundBytes, maxLineBytes } from './line-search.ts'

/** Lines of one file, with its displayed name. */
export interface FoundFile {
  readonly shown: string
  readonly lines: readonly FoundLine[]
}

/** Formats matches as `path:line: text` and context as `path-line- text`, with `--` between groups and a note on what was cut. */
export function formatFound(
  files: readonly FoundFile[],
  query: { readonly maxResults: number; readonly context: number },
): string {
  const output: string[] = []
  let matches = 0
  for (const { shown, lines } of files) {
    const kept = keepMatches(lines, query.maxResults - matches, query.context)
    matches += lines.filter((line) => line.isMatch).length
    const name = showName(shown)
    for (const [index, line] of kept.entries()) {
      const isGap = index === 0 ? output.length > 0 : kept[index - 1]?.line !== line.line - 1
      if (query.context > 0 && isGap) output.push('--')
      const sign = line.isMatch ? ':' : '-'
      output.push(`${name}${sign}${line.line}${sign} ${cut(line.text)}`)
    }
  }
  const bytes = files.reduce((sum, { lines }) => sum + bytesOf(lines), 0)
  if (bytes > maxFoundBytes) {
    output.push('(the search was ended here, as it found too much; narrow it)')
  } else if (matches > query.maxResults) {
    output.push(`(${query.maxResults} matching lines shown, there are more; narrow the search)`)
  }
  return output.length === 0 ? '(nothing found)' : output.join('\n')
}

/** Keeps the first `count` matches with their context, which ends before the next match that is not shown. */
function keepMatches(lines: readonly FoundLine[], count: number, context: number): FoundLine[] {
  const matches = lines.filter((line) => line.isMatch)
  const last = matches[count - 1]
  if (count <= 0) return []
  if (last === undefined || matches.length === count) {
    return lines.filter((line) => last === undefined || line.line <= last.line + context)
  }
  const next = matches[count]?.line ?? Number.POSITIVE_INFINITY
  return lines.filter((line) => line.line < next && line.line <= last.line + context)
}

function cut(text: string): string {
  const isCut = Buffer.byteLength(text) >= maxLineBytes
  return isCut ? `${text.slice(0, maxLineBytes / 2)} [line cut]` : text
}
