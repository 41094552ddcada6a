/** How much of a text may be shown. */
export interface Room {
  /** UTF-16 units, as platforms count them; the words about what is left out are counted in. */
  readonly characters: number
  /** The one of those words included. */
  readonly lines: number
  /** What stands around those words: a line of their own, or a place in the text's only line. */
  readonly around: '\n' | ' '
}

/** Of what fits, so much is for the beginning, the rest for the end. */
const headShare = 0.6
const markCharacters = 64

/**
 * The beginning and the end of a text that was made visible, and between them how much more is in the file (APPR-16,
 * THREAT-23). The text itself where it fits. Cut between lines where that does not cost most of what could be shown, and
 * never inside a character or a mark such as `⟨U+200B⟩`.
 */
export function excerpt(text: string, room: Room): string {
  if (text.length <= room.characters && linesIn(text) <= room.lines) return text
  const characters = room.characters - markCharacters
  const headCharacters = Math.floor(characters * headShare)
  const headLines = Math.ceil((room.lines - 1) * headShare)
  const headEnd = cutHead(text, headCharacters, headLines)
  const tailStart = cutTail(text, characters - headCharacters, room.lines - 1 - headLines)
  const head = text.slice(0, headEnd).replace(/\n$/, '')
  const mark = leftOut(toExact(text.slice(headEnd, tailStart)))
  return [head, mark, text.slice(tailStart)].filter((part) => part !== '').join(room.around)
}

/** Text with the counts of blanks and line breaks put back in; what else was made visible stays so. */
export function toExact(visible: string): string {
  return visible.replaceAll(/⟨([⏎␠⇥])×(\d+)⟩/g, (_, sign: string, count: string) =>
    (blanks[sign] ?? '').repeat(Number(count)),
  )
}

const blanks: Readonly<Record<string, string>> = { '⏎': '\n', '␠': ' ', '⇥': '\t' }

export function linesIn(text: string): number {
  return countOf(text, '\n') + (text.endsWith('\n') ? 0 : 1)
}

function countOf(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1
  return count
}

/** Where the beginning ends. */
function cutHead(text: string, characters: number, lines: number): number {
  const limit = splits(text, characters).before
  const byLines = afterLines(text, lines)
  if (byLines <= limit) return byLines
  const boundary = text.lastIndexOf('\n', limit - 1) + 1
  return boundary >= limit / 2 ? boundary : limit
}

function afterLines(text: string, lines: number): number {
  let at = 0
  for (let line = 0; line < lines; line += 1) {
    const end = text.indexOf('\n', at)
    if (end === -1) return text.length
    at = end + 1
  }
  return at
}

/** Where the end begins. */
function cutTail(text: string, characters: number, lines: number): number {
  const limit = splits(text, text.length - characters).after
  const byLines = beforeLines(text, lines)
  if (byLines >= limit) return byLines
  const boundary = text.indexOf('\n', limit) + 1
  return boundary > 0 && boundary - limit <= (text.length - limit) / 2 ? boundary : limit
}

function beforeLines(text: string, lines: number): number {
  let at = text.length
  for (let line = 0; line < lines; line += 1) {
    if (at === 0) return 0
    at = text.lastIndexOf('\n', at - 2) + 1
  }
  return at
}

/** The nearest places before and after one where a text may be cut. */
function splits(text: string, at: number): { readonly before: number; readonly after: number } {
  // The marks' own characters never stand for themselves in text that was made visible.
  const start = text.lastIndexOf('⟨', at - 1)
  const end = start === -1 ? -1 : text.indexOf('⟩', start)
  if (start !== -1 && start < at && at <= end) return { before: start, after: end + 1 }
  const isPair =
    /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at))
  return isPair ? { before: at - 1, after: at + 1 } : { before: at, after: at }
}

function leftOut(text: string): string {
  const characters = text.length - countPairs(text)
  const lines = linesIn(text)
  const what = `${characters.toLocaleString('en-US')} characters`
  const more = lines > 1 ? `${lines.toLocaleString('en-US')} lines, ${what}` : what
  return `⋯ ${more} more in the file ⋯`
}

function countPairs(text: string): number {
  return text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
}
