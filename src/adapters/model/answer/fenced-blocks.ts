/** A closed fenced block outside lists and quotes. */
export interface FencedBlock {
  /** The text after the opening fence. */
  readonly info: string
  readonly content: string
  /** Start and end in the text, fences included, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

interface Open {
  readonly fence: string
  readonly info: string
  readonly start: number
  readonly indent: number
  readonly contentStart: number
}

// CommonMark 0.31, section 4.5: up to three spaces; an info string after backticks holds none.
const opening = /^( {0,3})(`{3,}|~{3,})([^\r\n]*)$/

/**
 * Finds the fenced blocks of a text, in order, in one pass: a markdown parser may take quadratic time on hostile text. An
 * indented block, which may belong to a list, is skipped with its content; so is an unclosed one.
 */
export function findFencedBlocks(text: string): readonly FencedBlock[] {
  return scan(text).blocks
}

/** Finds the block that is never closed and runs to the end of the text. */
export function findOpenBlock(text: string): FencedBlock | undefined {
  const { open } = scan(text)
  if (open === undefined || open.indent > 0) return undefined
  return closed(text, open, text.length, text.length)
}

function scan(text: string): { readonly blocks: readonly FencedBlock[]; readonly open?: Open } {
  const blocks: FencedBlock[] = []
  let open: Open | undefined
  for (const { line, start, end, next } of linesOf(text)) {
    if (open === undefined) open = opened(line, start, next)
    // Only a full parser can tell whether such a line ends a list and the block in it, so everything after it is ignored.
    else if (isOutside(line, open)) return { blocks }
    else if (isClosing(line, open)) {
      if (open.indent === 0) blocks.push(closed(text, open, start, end))
      open = undefined
    }
  }
  return open === undefined ? { blocks } : { blocks, open }
}

function opened(line: string, start: number, contentStart: number): Open | undefined {
  const [, indent = '', fence = '', info = ''] = opening.exec(line) ?? []
  if (fence === '' || (fence.startsWith('`') && info.includes('`'))) return undefined
  return { fence, info: info.trim(), start, indent: indent.length, contentStart }
}

/** Less indented than the fence, so it may stand outside the list that holds the block. */
function isOutside(line: string, { indent }: Open): boolean {
  const own = line.search(/[^ ]/)
  return own !== -1 && own < indent
}

function isClosing(line: string, { fence }: Open): boolean {
  const [, , own = '', rest = ''] = opening.exec(line) ?? []
  return own.startsWith(fence) && rest.trim() === ''
}

function closed(text: string, open: Open, lineStart: number, end: number): FencedBlock {
  const { info, start, contentStart } = open
  return { info, content: withoutLastBreak(text.slice(contentStart, lineStart)), start, end }
}

function withoutLastBreak(text: string): string {
  if (text.endsWith('\r\n')) return text.slice(0, -2)
  return text.endsWith('\n') || text.endsWith('\r') ? text.slice(0, -1) : text
}

interface Line {
  readonly line: string
  readonly start: number
  /** Without its line break. */
  readonly end: number
  readonly next: number
}

function* linesOf(text: string): Generator<Line> {
  const breaks = /\r\n|\r|\n/g
  let start = 0
  for (const { 0: mark, index } of text.matchAll(breaks)) {
    yield { line: text.slice(start, index), start, end: index, next: index + mark.length }
    start = index + mark.length
  }
  yield { line: text.slice(start), start, end: text.length, next: text.length }
}
