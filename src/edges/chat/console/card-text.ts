import type { Card, CardStatus } from '../../../domain/approval.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { keptWords, timeLeft, tookWords } from '../render/card-words.ts'
import { splitToWidth } from '../render/display-width.ts'
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
  const ask = `${card.number} · ${oneLine(card.tool)} asks for ${oneLine(card.requestedBy)}`
  const lines = [
    ...headed(`? ${ask}`, style, paints.card),
    ...boxed(card.what, '    ', style, diffPaint(card.what, paints)),
    ...labelled('why', card.reasons, style),
    ...labelled('always', card.alwaysPatterns, style),
    ...labelled('who', [`${oneLine(card.whoMayAnswer)} · ${expiry(card, style.now)}`], style),
    ...labelled('warning', card.warning === undefined ? [] : [card.warning], style, paints.warning),
    ...labelled('note', noteOf(card), style),
    ...headed(
      card.status.kind === 'waiting' ? howToAnswer(card, style) : statusWords(card.status),
      style,
      paints.strong,
    ),
  ]
  return lines.join('\n')
}

/** APPR-13: the card's one line of truth after something happened to it. */
export function cardUpdateText(card: Card, style: CardStyle): string {
  const words = `${card.number} · ${oneLine(card.tool)}: ${statusWords(card.status)}`
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

function statusWords(status: CardStatus): string {
  switch (status.kind) {
    case 'waiting':
      return 'waiting'
    case 'approved':
      return `approved${status.always ? ' for always' : ''} by ${oneLine(status.by)}, ${clock(status.at)}`
    case 'granted':
      return 'allowed by a grant'
    case 'denying':
      return `denied by ${oneLine(status.by)}, ${clock(status.at)}; a reason may follow until ${clock(status.until)}`
    case 'denied': {
      const reason = status.reason === undefined ? '' : `: ${oneLine(status.reason)}`
      return `denied by ${oneLine(status.by)}, ${clock(status.at)}${reason}`
    }
    case 'expired':
      return `expired, ${clock(status.at)}`
    case 'cancelled':
      return `cancelled: ${oneLine(status.why)}`
    case 'running':
      return `running, approved by ${oneLine(status.by)}`
    case 'finished':
      return `${oneLine(status.outcome)} (${tookWords(status.durationMs)}), approved by ${oneLine(status.by)}`
    default:
      return assertNever(status)
  }
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

function clock(at: string): string {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) return oneLine(at)
  return `${two(time.getHours())}:${two(time.getMinutes())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
