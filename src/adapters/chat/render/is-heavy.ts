/** Backticks may not occur in the rest of an opening line. A fence is closed only by the same kind of mark. */
const opening = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/

const closing = /^( {0,3})(`{3,}|~{3,})[ \t]*$/

const maxLength = 32_000

/** In a paragraph, and in total. */
const maxMarks = 400

const maxAllMarks = 6_000

/** Comments and similar in a paragraph: if not closed, each is searched for up to the paragraph's end. */
const maxOpenings = 100

/** Runs of backticks in a paragraph: cheaper, and frequent in lists of files. */
const maxTicks = 2_000

/** Nested quotes and list items, and all of them. */
const maxNesting = 40

const maxContainers = 2_000

const maxUnderlines = 200

/**
 * Whether markdown would take too long to parse. The parser's time is quadratic in the marks of a paragraph (including unclosed
 * comments), in lists and quotes, especially nested ones, and in underlined headings: 30 KB of `*a_` would block the process
 * for minutes. Fenced code is cheap and not counted.
 */
export function isHeavy(markdown: string): boolean {
  if (markdown.length > maxLength) return true
  const lines = proseLines(markdown)
  const parts = paragraphs(lines)
  const marks = parts.map((text) => count(text, /[*_~[\]]|<[!?]/g))
  const containers = lines.map((line) => count(containerMarks(line), /[-+*>.)]/g))
  return (
    marks.some((some) => some > maxMarks) ||
    parts.some((text) => count(text, /<[!?]/g) > maxOpenings) ||
    parts.some((text) => count(text, /`+/g) > maxTicks) ||
    sum(marks) > maxAllMarks ||
    lines.some((line, index) => nesting(line, containers[index] ?? 0) > maxNesting) ||
    sum(containers) > maxContainers ||
    lines.filter(isUnderline).length > maxUnderlines
  )
}

function paragraphs(lines: readonly string[]): string[] {
  return lines
    .map((line) => (line.trim() === '' ? '' : line))
    .join('\n')
    .split(/\n\n+/)
}

/** Marks at the start of a line that open quotes and list items. */
function containerMarks(line: string): string {
  return /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*/.exec(line)?.[0] ?? ''
}

/** Maximum nesting of a line: what it opens, and what its indentation may belong to. */
function nesting(line: string, opened: number): number {
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0
  return opened === 0 ? 0 : opened + indent / 2
}

function isUnderline(line: string, index: number, lines: readonly string[]): boolean {
  return /^[ \t>]*(?:=+|-+)[ \t]*$/.test(line) && lines[index - 1]?.trim() !== ''
}

function count(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

interface Fence {
  readonly mark: string
  readonly indent: number
}

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
