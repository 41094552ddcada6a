import { insertAttachment, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { Card, CardFile } from '../../domain/approval.ts'
import { type Effect, effectLines, effectText } from '../../domain/effect.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { sha256 } from '../../util/digest.ts'
import type { Connected } from '../transaction.ts'

/** Room of a message beside its frame, in UTF-16 units. */
const maxCharacters = 2_800
const maxLines = 60
const whatRoom = { characters: 1_600, lines: 40, around: '\n' } as const
const entryRoom = { characters: 150, lines: Number.MAX_SAFE_INTEGER, around: ' ' } as const
const warningRoom = { ...entryRoom, characters: 300 }
/** Room that the call has in any case. */
const leastWhat = 600
const maxEntries = 6
/** Reasons are among the details where effects are shown. */
const maxReasons = 3
/** Room of all effects, of which each has at least `leastEffect`. */
const effectsRoom = 900
const leastEffect = 40
/** Maximum reasons, patterns and warning lines: each may take several of the styles a message may have. */
const maxRows = 24
/** Characters around an entry. */
const rowFrame = 4

/**
 * APPR-02, APPR-16: returns a card that fits a message as is, otherwise excerpts with the full text in an attached file. A card
 * too large for a file says so and can only be denied.
 */
export async function packCard(
  { ctx, db }: Connected,
  conversationId: string,
  card: Card,
): Promise<Card> {
  const { messages } = ctx
  if (fitsMessage(messages, card)) return card
  const content = Buffer.from(wholeText(messages, card))
  if (content.length > maxAttachmentBytes) return tooLarge(messages, card, content.length)
  const name = `approval-${card.number}.${isDiff(card) ? 'diff' : 'txt'}`
  const digest = sha256(content)
  const file: CardFile = {
    id: await insertAttachment(db, { conversationId, name, content, sha256: digest }),
    name,
    bytes: content.length,
    lines: linesIn(content.toString()),
    sha256: digest,
  }
  return { ...withExcerpts(messages, card), file }
}

/** Whether a message has room for the whole card. */
export function fitsMessage(messages: Messages, card: Card): boolean {
  const characters = shownLength(card.what, '\n') + charactersBeside(messages, card)
  const lines = linesIn(card.what)
  return (
    characters <= maxCharacters && lines <= maxLines && rowsBeside(messages, card).length <= maxRows
  )
}

function charactersBeside(messages: Messages, card: Card): number {
  return rowsBeside(messages, card).reduce((sum, row) => sum + shownLength(row, ' ') + rowFrame, 0)
}

function rowsBeside(
  messages: Messages,
  { effects = [], reasons, alwaysPatterns, warning }: Card,
): readonly string[] {
  const lines = effectLines(effects, messages.display.effects).map(effectText)
  return [...lines, ...reasons, ...alwaysPatterns, ...(warning?.split('\n') ?? [])]
}

function withExcerpts(messages: Messages, card: Card): Card {
  const { warning } = card
  const packed = {
    ...card,
    ...(card.effects === undefined ? {} : { effects: shownEffects(messages, card.effects) }),
    reasons: entries(messages, card.reasons, card.effects === undefined ? maxEntries : maxReasons),
    alwaysPatterns: entries(messages, card.alwaysPatterns),
    ...(warning === undefined ? {} : { warning: excerpt(messages, warning, warningRoom) }),
  }
  const left = Math.max(leastWhat, maxCharacters - charactersBeside(messages, packed))
  const characters = Math.min(whatRoom.characters, left)
  return { ...packed, what: excerpt(messages, card.what, { ...whatRoom, characters }) }
}

/** Shortens effects and counts those that have no room, which are in the file; each kind keeps at least one. */
function shownEffects(messages: Messages, effects: readonly Effect[]): readonly Effect[] {
  const kinds = [...new Set(effects.map(({ kind }) => kind))]
  const perKind = kinds.length > maxEntries ? 1 : 2
  const ofKinds = kinds.map((kind) => effects.filter((effect) => effect.kind === kind))
  const kept = ofKinds.flatMap((all) => all.slice(0, perKind))
  const characters = Math.floor(effectsRoom / kept.length)
  const room = {
    ...entryRoom,
    characters: Math.min(entryRoom.characters, Math.max(leastEffect, characters)),
  }
  const shown = kept.map(({ kind, of }): Effect => {
    return of === undefined ? { kind } : { kind, of: excerpt(messages, of, room) }
  })
  const more = effects.length - shown.length
  if (more === 0) return shown
  return [...shown, { kind: 'more', of: messages.cards.moreEffects({ count: more }) }]
}

function entries(messages: Messages, all: readonly string[], most = maxEntries): readonly string[] {
  const shown = all.slice(0, most).map((entry) => excerpt(messages, entry, entryRoom))
  const more = all.length - shown.length
  return more === 0 ? shown : [...shown, messages.cards.moreInFile({ count: more })]
}

/** Diff viewers skip the lines before a hunk. */
function isDiff({ what }: Card): boolean {
  return /^@@ /m.test(what)
}

/** Renders the whole card; the call comes last and unchanged, everything else is indented: no text can pose as another part. */
export function wholeText({ cards, display }: Messages, card: Card, end = cards.fileEnd): string {
  const { effects, reasons, always, warning } = cards.fileParts
  const lists: readonly (readonly [string, readonly string[]])[] = [
    [effects, effectLines(card.effects ?? [], display.effects).map(effectText)],
    [reasons, card.reasons],
    [always, card.alwaysPatterns],
    [warning, card.warning === undefined ? [] : [card.warning]],
  ]
  const parts = lists
    .filter(([, list]) => list.length > 0)
    .map(([heading, list]) => `${heading}:\n${list.map(indented).join('\n')}`)
  return `${[...parts, cards.fileCall({ end, call: toExact(card.what) })].join('\n\n')}\n`
}

function indented(text: string): string {
  return `  - ${toExact(text).replaceAll('\n', '\n    ')}`
}

function tooLarge({ cards }: Messages, card: Card, bytes: number): Card {
  const megabytes = Math.ceil(bytes / (1024 * 1024))
  return {
    ...card,
    what: cards.tooLarge({ megabytes }),
    reasons: card.reasons
      .filter((reason) => shownLength(reason, entryRoom.around) <= entryRoom.characters)
      .slice(0, 3),
    alwaysPatterns: [],
    tooLarge: true,
  }
}

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
