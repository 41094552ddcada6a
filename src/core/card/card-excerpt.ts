/** How much of a text may be shown. */
export interface Room {
  /** UTF-16 units of what is shown, as platforms count them; the words about what is left out are counted in. */
  readonly characters: number
  /** The one of those words included. */
  readonly lines: number
  /** What stands around those words: a line of their own, or a place in the text's only line. */
  readonly around: Around
}

/** Whether a text is shown in lines of its own, or in one line of ours. */
export type Around = '\n' | ' '

/** Of what fits, so much is for the beginning, the rest for the end. */
const headShare = 0.6
const markCharacters = 64

/**
 * The beginning and the end of a text that was made visible, and between them how much more is in the file (APPR-16,
 * THREAT-23). The text itself where it fits. Cut between lines where that does not cost most of what could be shown, and
 * never inside a character or a mark such as `⟨U+200B⟩`.
 */
export function excerpt(text: string, room: Room): string {
  if (shownLength(text, room.around) <= room.characters && linesIn(text) <= room.lines) return text
  const characters = room.characters - markCharacters
  const headCharacters = Math.floor(characters * headShare)
  const headLines = Math.ceil((room.lines - 1) * headShare)
  const headEnd = cutHead(text, unitsFrom(text, headCharacters, room.around), headLines)
  const tailUnits = unitsTo(text, characters - headCharacters, room.around)
  const tailStart = cutTail(text, tailUnits, room.lines - 1 - headLines)
  const head = text.slice(0, headEnd).replace(/\n$/, '')
  const mark = leftOut(toExact(text.slice(headEnd, tailStart)))
  return [head, mark, text.slice(tailStart)].filter((part) => part !== '').join(room.around)
}

/** UTF-16 units that a text takes where it is shown: a tab four, a line break within a line of ours the eight of its name. */
export function shownLength(text: string, around: Around): number {
  const breaks = around === ' ' ? countOf(text, '\n') : 0
  return text.length + countOf(text, '\t') * (tabUnits - 1) + breaks * (breakUnits - 1)
}

const tabUnits = 4
const breakUnits = '⟨U+000A⟩'.length

function unitsOf(character: string, around: Around): number {
  if (character === '\t') return tabUnits
  return character === '\n' && around === ' ' ? breakUnits : 1
}

/** How many of a text's first units take no more than so many where they are shown. */
function unitsFrom(text: string, shown: number, around: Around): number {
  let left = shown
  let at = 0
  for (; at < text.length; at += 1) {
    left -= unitsOf(text.charAt(at), around)
    if (left < 0) break
  }
  return at
}

/** The same of its last. */
function unitsTo(text: string, shown: number, around: Around): number {
  let left = shown
  let at = text.length
  for (; at > 0; at -= 1) {
    left -= unitsOf(text.charAt(at - 1), around)
    if (left < 0) break
  }
  return text.length - at
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
    // Before the first line's own end there is nothing; `lastIndexOf` would find that end again and again.
    if (at <= 1) return 0
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
