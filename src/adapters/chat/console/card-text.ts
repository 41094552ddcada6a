import type { Card, CardStatus } from '../../../domain/approval.ts'
import { grantEnds, grantWords } from '../../../domain/grant-life.ts'
import { assertNever } from '../../../util/guards.ts'
import { localTime } from '../../../util/text/clock-time.ts'
import {
  cancelReason,
  keptWords,
  lifeOf,
  nameWords,
  shortPattern,
  timeLeft,
  tookWords,
  whoMayAnswer,
} from '../render/card-words.ts'
import { splitToWidth } from '../render/display-width.ts'
import { groupReasons } from '../render/group-reasons.ts'
import type { Paints } from '../render/paint.ts'
import { cardMarker, toVisible } from '../render/printable.ts'

const labelWidth = 9

/** Keys for *Always* with an end (APPR-15). */
const lifeKeys = 't this turn · m 15 min · h 1 h · x 5×'

/** Keys of a card for several approvals (APPR-20). */
export const batchKeys = 'y approve all · r one by one · n deny all'

/**
 * The complete card (APPR-02). Every line starts with the marker, which nothing else may print; foreign text is indented, so
 * that it cannot pass for a line of the product (THREAT-23).
 */
export function cardText(card: Card, style: CardStyle): string {
  const { paints } = style
  const ask = `${card.number} · ${oneLine(card.tool)} asks for ${nameWords(card.requestedBy)}`
  const lines = [
    ...headed(`? ${ask}`, style, paints.card),
    ...whatAndWhy(card, style),
    ...labelled('always', card.alwaysPatterns, style),
    ...labelled('or for', howLong(card, style), style),
    ...labelled('risk', card.risk === undefined ? [] : [card.risk], style),
    ...whoLines(card, style),
    ...warningAndVotes(card, style),
    ...noteLines(card, style),
    ...headed(
      card.status.kind === 'waiting' ? howToAnswer(card, style) : statusWords(card, style.now),
      style,
      paints.strong,
    ),
  ]
  return lines.join('\n')
}

/** A card within a batch, without the lines that all of them share (APPR-10). */
export function cardAmongOthers(card: Card, style: CardStyle): readonly string[] {
  const { paints } = style
  const risk = card.risk === undefined ? '' : ` · risk ${card.risk}`
  return [
    ...headed(`? ${card.number} · ${oneLine(card.tool)}${risk}`, style, paints.card),
    ...whatAndWhy(card, style),
    ...warningAndVotes(card, style),
    ...(card.status.kind === 'waiting'
      ? []
      : headed(statusWords(card, style.now), style, paints.strong)),
  ]
}

/** Who may decide, and until when. */
export function whoLines(card: Card, style: CardStyle): string[] {
  return labelled('who', [`${who(card)} · ${expiry(card, style.now)}`], style)
}

function whatAndWhy(card: Card, style: CardStyle): string[] {
  return [
    ...boxed(card.what, style, diffPaint(card.what, style.paints), { indent: '    ' }),
    ...labelled('why', groupReasons(card.reasons, card.tool), style),
  ]
}

/** Note about messages that arrived while the card is pending (CHAT-08). */
export function noteLines(card: Card, style: CardStyle): string[] {
  return labelled('note', noteOf(card), style)
}

function warningAndVotes(card: Card, style: CardStyle): string[] {
  const { warning } = card
  return [
    ...labelled('warning', warning === undefined ? [] : [warning], style, style.paints.warning),
    ...labelled('votes', votesOf(card, style.now), style),
  ]
}

/** The status line of a card after a change (APPR-13). */
export function cardUpdateText(card: Card, style: CardStyle): string {
  const [votes] = card.status.kind === 'waiting' ? votesOf(card, style.now) : []
  const words = `${card.number} · ${oneLine(card.tool)}: ${votes ?? statusWords(card, style.now)}`
  return headed(words, style, style.paints.strong).join('\n')
}

function noteOf({ messagesKept = 0, status }: Card): string[] {
  return messagesKept > 0 && status.kind === 'waiting' ? [keptWords(messagesKept)] : []
}

/** Approvals so far, if more than one person must approve (APPR-12). */
function votesOf({ votes }: Card, now: number): string[] {
  if (votes === undefined) return []
  const each = votes.by.map(({ name, at }) => `${nameWords(name)}, ${clock(at, now)}`)
  return [`${votes.by.length} of ${votes.people} approved: ${each.join('; ')}`]
}

function howToAnswer(card: Card, { keys }: CardStyle): string {
  const always = card.alwaysPatterns.length > 0
  if (keys) return `y approve${always ? ' · a always' : ''} · n deny, then Enter`
  const n = card.number
  return `/approve ${n}${always ? ` · /always ${n}` : ''} · /deny ${n} reason`
}

/** Keys for *Always* with an end (APPR-15). */
function howLong(card: Card, { keys }: CardStyle): string[] {
  if (card.status.kind !== 'waiting' || card.alwaysPatterns.length === 0) return []
  return [keys ? lifeKeys : `/always ${card.number} ${grantEnds.join('|')}`]
}

function statusWords({ status, alwaysPatterns }: Card, now: number): string {
  const granted = grantWordsOf(status, alwaysPatterns)
  const at = (time: string): string => clock(time, now)
  switch (status.kind) {
    case 'waiting':
      return 'waiting'
    case 'approved': {
      const approved = status.always ? 'approved, with Always, by' : 'approved by'
      return `${approved} ${nameWords(status.by)}, ${at(status.at)}${granted}`
    }
    case 'granted':
      return status.life === undefined
        ? 'allowed by a grant'
        : `allowed by a grant that was given ${grantWords[status.life]}`
    case 'denying':
      return `denied by ${nameWords(status.by)}, ${at(status.at)}; a reason may follow until ${at(status.until)}`
    case 'denied': {
      const reason = status.reason === undefined ? '' : `: ${oneLine(status.reason)}`
      return `denied by ${nameWords(status.by)}, ${at(status.at)}${reason}`
    }
    case 'expired':
      return `expired, ${at(status.at)}`
    case 'cancelled': {
      const { words, name } = cancelReason(status)
      return `cancelled: ${words}${name}`
    }
    case 'running':
      return `running, approved by ${nameWords(status.by)}${granted}`
    case 'finished':
      return `${oneLine(status.outcome)} (${tookWords(status.durationMs)}), approved by ${nameWords(status.by)}${granted}`
    default:
      return assertNever(status)
  }
}

/** The grant that was given with the decision, and its duration (APPR-15). */
function grantWordsOf(status: CardStatus, patterns: readonly string[]): string {
  const life = lifeOf(status)
  if (life === undefined) return ''
  return `; ${shortPattern(patterns) ?? 'the patterns of its card'} ${grantWords[life]}`
}

function who(card: Card): string {
  const { name, words } = whoMayAnswer(card)
  return name + words
}

function oneLine(text: string): string {
  return toVisible(text).replaceAll('\n', ' ')
}

function expiry({ expiresAt }: Card, now: number): string {
  const left = timeLeft(expiresAt, now)
  return left === undefined ? 'expired' : `expires in ${left}`
}

function clock(at: string, now: number): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? oneLine(at) : localTime(time, new Date(now))
}

/** Style of cards: without `columns` lines are not wrapped; `keys` means that single letters answer. */
export interface CardStyle {
  readonly paints: Paints
  readonly columns: number | undefined
  readonly keys: boolean
  readonly now: number
}

/** Paints a row; `line` is the complete line it belongs to. */
type RowPaint = (row: string, line: string) => string

function labelled(
  label: string,
  values: readonly string[],
  style: CardStyle,
  paint: RowPaint = style.paints.plain,
): string[] {
  const indent = ' '.repeat(labelWidth)
  return values.flatMap((value, index) =>
    boxed(value, style, paint, { indent, label: index === 0 ? label.padEnd(labelWidth) : indent }),
  )
}

/** A line of the product; continuation rows are indented. */
export function headed(text: string, style: CardStyle, paint: RowPaint): string[] {
  return boxed(text, style, paint, { indent: ' '.repeat(labelWidth), label: '' })
}

interface BoxIndent {
  readonly indent: string
  /** Replaces the first row's indent. */
  readonly label?: string
}

/** Text after the marker, each row indented; the first may have a label instead. */
export function boxed(
  text: string,
  style: CardStyle,
  paint: RowPaint,
  { indent, label = indent }: BoxIndent,
): string[] {
  const { paints, columns } = style
  const room = columns === undefined ? Infinity : Math.max(10, columns - indent.length - 3)
  const rows = toVisible(text)
    .split('\n')
    .flatMap((line) => splitToWidth(line, room).map((row) => paint(row, line)))
  return rows.map((row, index) =>
    `${paints.card(cardMarker)} ${index === 0 ? paints.dim(label) : indent}${row}`.trimEnd(),
  )
}

/** Colours a unified diff; other text stays plain. */
function diffPaint(what: string, paints: Paints): RowPaint {
  if (!/^@@ /m.test(what)) return paints.plain
  return (row, line) => {
    if (line.startsWith('+')) return paints.added(row)
    if (line.startsWith('-')) return paints.removed(row)
    return line.startsWith('@@') ? paints.dim(row) : row
  }
}
