import type { ApprovalBatchRow, ApprovalRow } from '../../db/schema.ts'
import { insertAttachment, maxAttachmentBytes } from '../../db/upload/attachments.ts'
import type { BatchCard, Card, CardFile } from '../../domain/approval.ts'
import { effectLines, effectText } from '../../domain/effect.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { sha256 } from '../../util/digest.ts'
import { readStored } from '../stored.ts'
import type { Connected } from '../transaction.ts'
import { linesIn, shownLength } from './card-excerpt.ts'
import { fitsMessage, wholeText } from './card-file.ts'
import { cardFile, readCard } from './read-card.ts'

/** Room of a message beside the frame and the later outcome of each approval. */
const maxCharacters = 1_800
const maxLines = 60
/** Each approval and reason takes several of the styles a message may have. */
const maxCards = 10
const maxReasons = 12
/** Maximum characters when each approval is cut to one line: for all lines, and for one. */
const allLines = 2_400
const longestLine = 100

/** Composes a batch card from its approvals. If a file holds the full text, each approval is cut to a line. */
export function composeBatch(
  { id, file }: Pick<ApprovalBatchRow, 'id' | 'file'>,
  members: readonly Pick<ApprovalRow, 'card'>[],
): BatchCard {
  const cards = members.map(readCard)
  if (file === null) return { batchId: id, cards }
  const characters = Math.min(longestLine, Math.floor(allLines / cards.length))
  const lines = cards.map((card) => brief(card, characters))
  return { batchId: id, cards: lines, file: readStored(cardFile, file) }
}

/**
 * APPR-02, APPR-16: returns `fits` if a message has room for all approvals, otherwise a file with their full text, or `too_large`
 * if it exceeds a file's limit.
 */
export async function packBatch(
  { ctx, db }: Connected,
  conversationId: string,
  cards: readonly Card[],
): Promise<CardFile | 'fits' | 'too_large'> {
  if (fits(ctx.messages, cards)) return 'fits'
  const content = Buffer.from(cards.map((card) => section(ctx.messages, card)).join('\n'))
  if (content.length > maxAttachmentBytes) return 'too_large'
  const [first, last] = [cards[0]?.number ?? 0, cards.at(-1)?.number ?? 0]
  const name = `approvals-${first}-${last}.txt`
  const digest = sha256(content)
  const id = await insertAttachment(db, { conversationId, name, content, sha256: digest })
  const lines = linesIn(content.toString())
  return { id, name, bytes: content.length, lines, sha256: digest }
}

function fits(messages: Messages, cards: readonly Card[]): boolean {
  const texts = cards.flatMap(({ what, effects = [], reasons, warning }) => [
    what,
    ...effectLines(effects, messages.display.effects).map(effectText),
    ...reasons,
    warning ?? '',
  ])
  const characters = texts.reduce((sum, text) => sum + shownLength(text, '\n'), 0)
  const lines = texts.reduce((sum, text) => sum + linesIn(text), 0)
  const reasons = cards.reduce((sum, card) => sum + card.reasons.length, 0)
  const hasRoom = cards.length <= maxCards && reasons <= maxReasons
  // Each must also fit a message of its own.
  return (
    hasRoom &&
    characters <= maxCharacters &&
    lines <= maxLines &&
    cards.every((card) => fitsMessage(messages, card))
  )
}

/**
 * Prefixes every line with the approval's number and states the line count in the heading: no text can pose as another approval,
 * even if a viewer breaks lines.
 */
function section(messages: Messages, card: Card): string {
  const { cards } = messages
  const { number, tool, risk } = card
  const whole = wholeText(messages, card, cards.fileEndOf({ number }))
  const lines = whole.replace(/\n$/, '').split('\n')
  const heading = [
    cards.fileHeading({ number }),
    tool,
    ...(risk === undefined ? [] : [cards.risk({ risk })]),
    cards.lines({ count: lines.length }),
  ]
  return `${heading.join(' · ')}\n${lines.map((line) => `${number} │ ${line}`).join('\n')}\n`
}

function brief({ file: _, ...card }: Card, characters: number): Card {
  const [line = ''] = card.what.split('\n', 1)
  const head = [...line].slice(0, characters).join('')
  const isWhole = head === card.what
  const cut = isWhole ? {} : { what: `${head}…`, isCut: true as const }
  return { ...card, ...cut, reasons: [], alwaysPatterns: [] }
}
