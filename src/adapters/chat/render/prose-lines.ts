interface Fence {
  readonly mark: string
  readonly indent: number
}

/** Backticks may not stand in what follows them; the marks of the two kinds do not close each other. */
const opening = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const closing = /^( {0,3})(`{3,}|~{3,})[ \t]*$/

/**
 * The lines of markdown that are not certainly code between fences, empty where they are. A fence in doubt (behind
 * raw HTML, or one that is indented and may be part of a list) is prose, and so is what comes after it.
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

/** The fence in which the markdown ends, as the line that opened it; undefined: in none, or nobody knows. */
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

/** A line that ends the list, and a fence in it, if there is one. */
function isShallower(line: string, indent: number): boolean {
  return line.trim() !== '' && !line.startsWith(' '.repeat(indent))
}
