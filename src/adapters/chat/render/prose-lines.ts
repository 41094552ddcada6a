interface Fence {
  readonly mark: string
  readonly indent: number
}

/** Backticks may not occur in the rest of an opening line. A fence is closed only by the same kind of mark. */
const opening = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const closing = /^( {0,3})(`{3,}|~{3,})[ \t]*$/

/**
 * The lines of markdown that may be prose; lines that are certainly fenced code become empty. A doubtful fence (after raw HTML,
 * or indented and possibly part of a list) counts as prose, as does everything after it.
 */
export function proseLines(markdown: string): string[] {
  const prose: string[] = []
  let open: Fence | undefined
  let inDoubt = false
  for (const line of markdown.split(/\r\n|[\r\n]/)) {
    if (inDoubt) {
      prose.push(line)
    } else if (open === undefined) {
      open = fenceOf(line)
      inDoubt = /^ {0,3}</.test(line)
      prose.push(line)
    } else {
      inDoubt = open.indent > 0 && isShallower(line, open.indent)
      prose.push(open.indent > 0 ? line : '')
      if (closes(line, open.mark)) open = undefined
    }
  }
  return prose
}

/** Opening line of the fence in which the markdown ends; undefined if there is none. */
export function openFence(markdown: string): string | undefined {
  let open: string | undefined
  for (const line of markdown.split(/\r\n|[\r\n]/)) {
    if (open === undefined) open = fenceOf(line) === undefined ? undefined : line
    else if (closes(line, fenceOf(open)?.mark ?? '')) open = undefined
  }
  return open
}

function fenceOf(line: string): Fence | undefined {
  const [, indent = '', mark] = opening.exec(line) ?? []
  return mark === undefined ? undefined : { mark, indent: indent.length }
}

function closes(line: string, mark: string): boolean {
  return closing.exec(line)?.[2]?.startsWith(mark) === true
}

/** Whether a line ends the list item that contains the fence. */
function isShallower(line: string, indent: number): boolean {
  return line.trim() !== '' && !line.startsWith(' '.repeat(indent))
}
