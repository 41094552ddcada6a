import { keepOutputFile, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import type { NoticeFile, Outgoing } from '../../ports/chat.ts'
import { sha256 } from '../../util/digest.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Connected } from '../transaction.ts'

/** Limits for an excerpt. */
interface Room {
  /** Maximum UTF-16 units, as platforms count them, including the gap mark. */
  readonly characters: number
  /** Maximum lines, including the gap mark's. */
  readonly lines: number
  /** Separator around the gap mark: a line break, or a blank in a one-line text. */
  readonly around: Around
}

/** Whether a text keeps its own lines or is shown within one line. */
type Around = '\n' | ' '

/** Share of the room for the beginning; the end gets the rest. */
const headShare = 0.6
const markCharacters = 64

/**
 * Shortens a text made visible to its beginning and end, with the size of the gap, which is in the file (APPR-16, THREAT-23).
 * Returns a text that fits as is. Cuts between lines unless that costs most of the room, and never inside a character or a mark
 * such as `⟨U+200B⟩`.
 */
export function excerpt(messages: Messages, text: string, room: Room): string {
  if (shownLength(text, room.around) <= room.characters && linesIn(text) <= room.lines) return text
  const characters = room.characters - markCharacters
  const headCharacters = Math.floor(characters * headShare)
  const headLines = Math.ceil((room.lines - 1) * headShare)
  const headEnd = cutHead(text, unitsFrom(text, headCharacters, room.around), headLines)
  const tailUnits = unitsTo(text, characters - headCharacters, room.around)
  const tailStart = cutTail(text, tailUnits, room.lines - 1 - headLines)
  const head = text.slice(0, headEnd).replace(/\n$/, '')
  const mark = leftOut(messages, toExact(text.slice(headEnd, tailStart)))
  return [head, mark, text.slice(tailStart)].filter((part) => part !== '').join(room.around)
}

/** Counts the UTF-16 units a text takes when shown: a tab counts four, a line break within one line the eight of its mark. */
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

/** Counts the leading units of a text that take at most `shown` units when displayed. */
function unitsFrom(text: string, shown: number, around: Around): number {
  let left = shown
  let at = 0
  for (; at < text.length; at += 1) {
    left -= unitsOf(text.charAt(at), around)
    if (left < 0) break
  }
  return at
}

/** Counts the trailing units likewise. */
function unitsTo(text: string, shown: number, around: Around): number {
  let left = shown
  let at = text.length
  for (; at > 0; at -= 1) {
    left -= unitsOf(text.charAt(at - 1), around)
    if (left < 0) break
  }
  return text.length - at
}

/** Restores blanks and line breaks from their counted marks; other marks stay. */
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

/** Returns the end of the head. */
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

/** Returns the start of the tail. */
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
    // Nothing precedes the first line break; `lastIndexOf` would find it forever.
    if (at <= 1) return 0
    at = text.lastIndexOf('\n', at - 2) + 1
  }
  return at
}

/** Returns the nearest positions before and after `at` where the text may be cut. */
function splits(text: string, at: number): { readonly before: number; readonly after: number } {
  // In text made visible these characters occur only in marks.
  const start = text.lastIndexOf('⟨', at - 1)
  const end = start === -1 ? -1 : text.indexOf('⟩', start)
  if (start !== -1 && start < at && at <= end) return { before: start, after: end + 1 }
  const isPair =
    /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at))
  return isPair ? { before: at - 1, after: at + 1 } : { before: at, after: at }
}

function leftOut({ cards }: Messages, text: string): string {
  return cards.excerptGap({ lines: linesIn(text), characters: text.length - countPairs(text) })
}

function countPairs(text: string): number {
  return text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0
}

/** Room of two Telegram messages, in UTF-16 units. */
const room = { characters: 6_000, lines: Number.MAX_SAFE_INTEGER, around: '\n' } as const

type Quoted = Pick<Extract<Outgoing, { kind: 'notice' }>, 'quoted' | 'file'>

/**
 * OUT-10: prepares tool output for people: short text as is, otherwise its ends with the whole as a file. `about` completes “all
 * of …”.
 */
export async function quoteOutput(
  { ctx, db }: Connected,
  conversationId: string,
  text: string,
  { about, name }: Pick<NoticeFile, 'about' | 'name'>,
): Promise<Quoted> {
  if (text.length <= room.characters) return { quoted: text }
  const shown = excerpt(ctx.messages, text, room)
  const content = Buffer.from(toStorable(text))
  if (content.length > maxAttachmentBytes)
    return { quoted: `${shown}\n${ctx.messages.commands.output.tooLarge}` }
  const digest = sha256(content)
  const id = await keepOutputFile(db, { conversationId, name, content, sha256: digest })
  const size = { bytes: content.length, lines: linesIn(text), sha256: digest }
  return { quoted: shown, file: { id, name, about, ...size } }
}
