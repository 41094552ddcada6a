import type { Db } from '../../db/schema.ts'
import { insertAttachment, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { Card, CardFile } from '../../domain/approval.ts'
import { type Effect, effectLines, effectText } from '../../domain/effect.ts'
import { sha256 } from '../../util/digest.ts'
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
export async function packCard(db: Db, conversationId: string, card: Card): Promise<Card> {
  if (fitsMessage(card)) return card
  const content = Buffer.from(wholeText(card))
  if (content.length > maxAttachmentBytes) return tooLarge(card, content.length)
  const name = `question-${card.number}.${isDiff(card) ? 'diff' : 'txt'}`
  const digest = sha256(content)
  const file: CardFile = {
    id: await insertAttachment(db, { conversationId, name, content, sha256: digest }),
    name,
    bytes: content.length,
    lines: linesIn(content.toString()),
    sha256: digest,
  }
  return { ...withExcerpts(card), file }
}

/** Whether a message has room for the whole card. */
export function fitsMessage(card: Card): boolean {
  const characters = shownLength(card.what, '\n') + charactersBeside(card)
  const lines = linesIn(card.what)
  return characters <= maxCharacters && lines <= maxLines && rowsBeside(card).length <= maxRows
}

function charactersBeside(card: Card): number {
  return rowsBeside(card).reduce((sum, row) => sum + shownLength(row, ' ') + rowFrame, 0)
}

function rowsBeside({ effects = [], reasons, alwaysPatterns, warning }: Card): readonly string[] {
  const lines = effectLines(effects).map(effectText)
  return [...lines, ...reasons, ...alwaysPatterns, ...(warning?.split('\n') ?? [])]
}

function withExcerpts(card: Card): Card {
  const { warning } = card
  const packed = {
    ...card,
    ...(card.effects === undefined ? {} : { effects: shownEffects(card.effects) }),
    reasons: entries(card.reasons, card.effects === undefined ? maxEntries : maxReasons),
    alwaysPatterns: entries(card.alwaysPatterns),
    ...(warning === undefined ? {} : { warning: excerpt(warning, warningRoom) }),
  }
  const left = Math.max(leastWhat, maxCharacters - charactersBeside(packed))
  const characters = Math.min(whatRoom.characters, left)
  return { ...packed, what: excerpt(card.what, { ...whatRoom, characters }) }
}

/** Shortens effects and counts those that have no room, which are in the file; each kind keeps at least one. */
function shownEffects(effects: readonly Effect[]): readonly Effect[] {
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
    return of === undefined ? { kind } : { kind, of: excerpt(of, room) }
  })
  const more = effects.length - shown.length
  if (more === 0) return shown
  return [...shown, { kind: 'more', of: `and ${more} more of its effects are in the file` }]
}

function entries(all: readonly string[], most = maxEntries): readonly string[] {
  const shown = all.slice(0, most).map((entry) => excerpt(entry, entryRoom))
  const more = all.length - shown.length
  return more === 0 ? shown : [...shown, `and ${more} more in the file`]
}

/** Diff viewers skip the lines before a hunk. */
function isDiff({ what }: Card): boolean {
  return /^@@ /m.test(what)
}

/** Renders the whole card; the call comes last and unchanged, everything else is indented: no text can pose as another part. */
export function wholeText(card: Card, end = 'the end of the file'): string {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ['what it does', effectLines(card.effects ?? []).map(effectText)],
    ['why', card.reasons],
    ['always would allow', card.alwaysPatterns],
    ['warning', card.warning === undefined ? [] : [card.warning]],
  ]
  const parts = lists
    .filter(([, list]) => list.length > 0)
    .map(([heading, list]) => `${heading}:\n${list.map(indented).join('\n')}`)
  return `${[...parts, `what, to ${end}:\n${toExact(card.what)}`].join('\n\n')}\n`
}

function indented(text: string): string {
  return `  - ${toExact(text).replaceAll('\n', '\n    ')}`
}

function tooLarge(card: Card, bytes: number): Card {
  const megabytes = Math.ceil(bytes / (1024 * 1024)).toLocaleString('en-US')
  return {
    ...card,
    what: `What this call would do takes ${megabytes} MB, more than can be shown. It can only be denied.`,
    reasons: card.reasons
      .filter((reason) => shownLength(reason, entryRoom.around) <= entryRoom.characters)
      .slice(0, 3),
    alwaysPatterns: [],
    tooLarge: true,
  }
}
