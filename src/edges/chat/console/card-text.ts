import type { Card, CardStatus } from '../../../domain/approval.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { localTime } from '../../../util/clock-time.ts'
import {
  keptWords,
  nameWords,
  timeLeft,
  tookWords,
  whoMayAnswer,
  whyCancelled,
} from '../render/card-words.ts'
import { splitToWidth } from '../render/display-width.ts'
import { groupReasons } from '../render/group-reasons.ts'
import type { Paints } from '../render/paint.ts'
import { cardMarker, toVisible } from '../render/printable.ts'

/** How cards are written: `columns` is undefined where lines are not broken, `keys` where single letters answer. */
export interface CardStyle {
  readonly paints: Paints
  readonly columns: number | undefined
  readonly keys: boolean
  readonly now: number
}

/**
 * APPR-02: the whole card. Every line begins with the marker that nothing else may print; what others wrote stands
 * indented, so that it cannot pose as a line of ours (THREAT-23).
 */
export function cardText(card: Card, style: CardStyle): string {
  const { paints } = style
  const ask = `${card.number} · ${oneLine(card.tool)} asks for ${nameWords(card.requestedBy)}`
  const lines = [
    ...headed(`? ${ask}`, style, paints.card),
    ...boxed(card.what, '    ', style, diffPaint(card.what, paints)),
    ...labelled('why', groupReasons(card.reasons, card.tool), style),
    ...labelled('always', card.alwaysPatterns, style),
    ...labelled('who', [`${who(card)} · ${expiry(card, style.now)}`], style),
    ...labelled('warning', card.warning === undefined ? [] : [card.warning], style, paints.warning),
    ...labelled('note', noteOf(card), style),
    ...headed(
      card.status.kind === 'waiting'
        ? howToAnswer(card, style)
        : statusWords(card.status, style.now),
      style,
      paints.strong,
    ),
  ]
  return lines.join('\n')
}

/** APPR-13: the card's one line of truth after something happened to it. */
export function cardUpdateText(card: Card, style: CardStyle): string {
  const words = `${card.number} · ${oneLine(card.tool)}: ${statusWords(card.status, style.now)}`
  return headed(words, style, style.paints.strong).join('\n')
}

function noteOf({ messagesKept = 0, status }: Card): string[] {
  return messagesKept > 0 && status.kind === 'waiting' ? [keptWords(messagesKept)] : []
}

function howToAnswer(card: Card, { keys }: CardStyle): string {
  const always = card.alwaysPatterns.length > 0
  if (keys) return `y approve${always ? ' · a always' : ''} · n deny, then Enter`
  const n = card.number
  return `/approve ${n}${always ? ` · /always ${n}` : ''} · /deny ${n} reason`
}

function statusWords(status: CardStatus, now: number): string {
  const at = (time: string): string => clock(time, now)
  switch (status.kind) {
    case 'waiting':
      return 'waiting'
    case 'approved': {
      const approved = status.always ? 'approved, with Always, by' : 'approved by'
      return `${approved} ${nameWords(status.by)}, ${at(status.at)}`
    }
    case 'granted':
      return 'allowed by a grant'
    case 'denying':
      return `denied by ${nameWords(status.by)}, ${at(status.at)}; a reason may follow until ${at(status.until)}`
    case 'denied': {
      const reason = status.reason === undefined ? '' : `: ${oneLine(status.reason)}`
      return `denied by ${nameWords(status.by)}, ${at(status.at)}${reason}`
    }
    case 'expired':
      return `expired, ${at(status.at)}`
    case 'cancelled': {
      const { words, name } = whyCancelled(status.why)
      return `cancelled: ${words}${name}`
    }
    case 'running':
      return `running, approved by ${nameWords(status.by)}`
    case 'finished':
      return `${oneLine(status.outcome)} (${tookWords(status.durationMs)}), approved by ${nameWords(status.by)}`
    default:
      return assertNever(status)
  }
}

function who(card: Card): string {
  const { name, words } = whoMayAnswer(card)
  return name + words
}

const labelWidth = 9

/** Paints a row; `line` is the whole line that the row was broken from. */
type RowPaint = (row: string, line: string) => string

function labelled(
  label: string,
  values: readonly string[],
  style: CardStyle,
  paint: RowPaint = style.paints.plain,
): string[] {
  const indent = ' '.repeat(labelWidth)
  return values.flatMap((value, index) =>
    boxed(value, indent, style, paint, index === 0 ? label.padEnd(labelWidth) : indent),
  )
}

/** A line of ours; what others' words in it push to further rows is indented too. */
function headed(text: string, style: CardStyle, paint: RowPaint): string[] {
  return boxed(text, ' '.repeat(labelWidth), style, paint, '')
}

/** Text behind the marker, every row of it indented; the first may carry a label of ours instead. */
function boxed(
  text: string,
  indent: string,
  style: CardStyle,
  paint: RowPaint,
  label = indent,
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

/** Colours for a unified diff, none for anything else. */
function diffPaint(what: string, paints: Paints): RowPaint {
  if (!/^@@ /m.test(what)) return paints.plain
  return (row, line) => {
    if (line.startsWith('+')) return paints.added(row)
    if (line.startsWith('-')) return paints.removed(row)
    return line.startsWith('@@') ? paints.dim(row) : row
  }
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
