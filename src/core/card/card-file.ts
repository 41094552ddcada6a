import { insertAttachment, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { Card, CardFile } from '../../domain/approval.ts'
import { type Effect, effectLines, effectText } from '../../domain/effect.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { sha256 } from '../../util/digest.ts'
import type { Connected } from '../transaction.ts'
import { excerpt, linesIn, shownLength, toExact } from './card-excerpt.ts'

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
