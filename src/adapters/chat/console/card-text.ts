import { type Card, isDangerous } from '../../../domain/approval.ts'
import { grantEnds } from '../../../domain/grant-life.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { isAlwaysPlain } from '../render/card-buttons.ts'
import { type CardModel, cardModel, type Detail } from '../render/card-model.ts'
import type { Line } from '../render/card-state.ts'
import { timeLeft, whoMayAnswer } from '../render/card-words.ts'
import { splitBehindBlanks, wrapToWidth } from '../render/display-width.ts'
import type { Paints } from '../render/paint.ts'
import { cardMarker, isolateFromRight, toVisible } from '../render/printable.ts'
import { timePiece } from '../render/runs/card-status.ts'
import { cutText } from '../render/runs/cut-text.ts'

const hanging = ' '.repeat(4)

/** Length of the call in a line about what became of it. */
const titleUnits = 60

/** Length of a pattern that the line of keys names. */
const maxPattern = 40

/**
 * The card (CARD-01): who wants what, the call, what it would do, and how to answer. Every line starts with the marker, which
 * nothing else may print; foreign text is indented, so that it cannot pass for a line of the product (THREAT-23). Without keys
 * the details follow, as `?` cannot ask for them.
 */
export function cardText(card: Card, style: CardStyle): string {
  const { paints } = style
  const model = modelOf(card, style)
  const waits = card.status.kind === 'waiting'
  return [
    ...headed(textOf(model.headline), style, paints.card),
    ...callRows(card, style),
    ...aboutRows(model, style),
    ...headed(waits ? howToAnswer(card, style) : textOf(model.state), style, paints.strong),
    ...(waits && !style.keys ? detailRows(model.details, style) : []),
  ].join('\n')
}

/** CARD-02: the details of a card, which `?` shows. */
export function detailsText(card: Card, style: CardStyle): string {
  return detailRows(modelOf(card, style).details, style).join('\n')
}

/** CARD-03: what *Always* would allow, and for how long. */
export function choiceText(card: Card, style: CardStyle): string {
  const { terminal } = style.messages
  const details = modelOf(card, style).details.filter(({ ofAlways }) => ofAlways)
  return [
    ...detailRows(details, style),
    ...headed(terminal.thenEnter({ keys: terminal.choiceKeys }), style, style.paints.strong),
  ].join('\n')
}

/** Whether a key for *Always* may act at once: the line of keys names all that it allows. */
export function isNamed(card: Card): boolean {
  return isAlwaysPlain(card, maxPattern)
}

/** A card within a batch, without the lines that all of them share (APPR-10). */
export function cardAmongOthers(card: Card, style: CardStyle): readonly string[] {
  const { paints } = style
  const { file: _, ...alone } = { ...card, messagesKept: 0 }
  const model = modelOf(alone, style)
  return [
    ...headed(`${card.number} · ${oneLine(card.does ?? card.tool)}`, style, paints.card),
    ...callRows(card, style),
    ...aboutRows(model, style),
    ...(card.status.kind === 'waiting' ? [] : headed(textOf(model.state), style, paints.strong)),
  ]
}

/** Who may decide, and until when. */
export function whoLines(card: Card, style: CardStyle): string[] {
  const { messages } = style
  const { name, words } = whoMayAnswer(messages, card)
  const { who } = messages.display.details
  const { expiresIn, expiresNow } = messages.terminal
  const time = timeLeft(messages, card.expiresAt, style.now)
  const expiry = time === undefined ? expiresNow : expiresIn({ time })
  return headed(`${who}: ${name}${words} · ${expiry}`, style, plain)
}

/** Note about messages that arrived while the card is pending (CHAT-08). */
export function noteLines({ messagesKept: count = 0, status }: Card, style: CardStyle): string[] {
  const isKept = count > 0 && status.kind === 'waiting'
  return isKept ? headed(`💬 ${style.messages.display.kept({ count })}`, style, plain) : []
}

/** What became of a card, on one line with its call (CARD-05, APPR-13). */
export function cardUpdateText(card: Card, style: CardStyle): string {
  const { state, notes } = modelOf(card, style)
  const [first = ''] = card.what.split('\n', 1)
  const title = `${cutText(oneLine(first), titleUnits)}${first === card.what ? '' : ' …'}`
  const votes = card.votes === undefined ? undefined : notes.at(-1)
  const words = card.status.kind === 'waiting' && votes !== undefined ? votes : state
  const { status } = card
  const lastLine = status.kind === 'finished' ? (status.lastLine ?? '') : ''
  return [
    ...headed(`${card.number} · ${title}: ${textOf(words)}`, style, style.paints.strong),
    ...(lastLine === '' ? [] : boxed(lastLine, style, style.paints.dim, { indent: hanging })),
  ].join('\n')
}

function modelOf(card: Card, style: CardStyle): CardModel {
  const { messages, now } = style
  return cardModel(card, {
    messages,
    at: (time) => timePiece(messages, time, now),
    until: () => ({ text: untilText(card, style) }),
    takesReplies: false,
  })
}

/** A line of the model as text; its foreign parts are visible and on one line already. */
function textOf(line: Line): string {
  return line.map(({ text }) => text).join('')
}

function callRows(card: Card, style: CardStyle): string[] {
  return boxed(card.what, style, diffPaint(card.what, style.paints), { indent: hanging })
}

function aboutRows({ effects, notes }: CardModel, style: CardStyle): string[] {
  return [
    ...effects.flatMap((line) => headed(textOf(line), style, style.paints.warning)),
    ...notes.flatMap((line) => headed(textOf(line), style, plain)),
  ]
}

function detailRows(details: readonly Detail[], style: CardStyle): string[] {
  return details.flatMap(({ label, values }) => {
    const [only] = values
    if (only !== undefined && values.length === 1)
      return headed(`${label}: ${textOf(only)}`, style, plain)
    const each = values.flatMap((value) => headed(`  • ${textOf(value)}`, style, plain))
    return [...headed(`${label}:`, style, plain), ...each]
  })
}

function howToAnswer(card: Card, { keys, messages }: CardStyle): string {
  const { terminal } = messages
  const n = card.number
  const hasAlways = card.alwaysPatterns.length > 0
  if (!keys)
    return `/approve ${n}${hasAlways ? ` · /always ${n} [${grantEnds.join('|')}]` : ''} · /deny ${n} ${terminal.reason}`
  return terminal.thenEnter({ keys: answerKeys(messages, card) })
}

/** Keys that answer a card. */
export function answerKeys({ terminal }: Messages, card: Card): string {
  const { alwaysPatterns } = card
  const [pattern = ''] = alwaysPatterns
  const always = isNamed(card)
    ? ` · a ${terminal.always}: ${oneLine(pattern)}`
    : ` · a ${terminal.always}…`
  const isOffered = alwaysPatterns.length > 0 && !isDangerous(card)
  return `y ${terminal.approve}${isOffered ? always : ''} · n ${terminal.deny} · ? ${terminal.details}`
}

function oneLine(text: string): string {
  return toVisible(text).replaceAll('\n', ' ')
}

function untilText({ expiresAt }: Card, { messages, now }: CardStyle): string {
  const time = timeLeft(messages, expiresAt, now)
  return time === undefined ? messages.terminal.now : messages.terminal.inTime({ time })
}

const plain: RowPaint = (row) => row

/** Style of cards: without `columns` lines are not wrapped; `keys` means that single letters answer. */
export interface CardStyle {
  readonly messages: Messages
  readonly paints: Paints
  readonly columns: number | undefined
  readonly keys: boolean
  readonly now: number
}

/** Paints a row; `line` is the complete line it belongs to. */
type RowPaint = (row: string, line: string) => string

/** A line of the product; continuation rows are indented. */
export function headed(text: string, style: CardStyle, paint: RowPaint): string[] {
  const wrap = (line: string, columns: number): string[] =>
    wrapToWidth(line, columns).map(isolateFromRight)
  return boxed(text, style, paint, { indent: hanging, label: '', wrap })
}

interface BoxIndent {
  readonly indent: string
  /** Replaces the first row's indent. */
  readonly label?: string
  /** How lines are split into rows; without it behind blanks, so that nothing of the text is lost. */
  readonly wrap?: (text: string, columns: number) => string[]
}

/** Text after the marker, each row indented; the first may have a label instead. */
export function boxed(
  text: string,
  style: CardStyle,
  paint: RowPaint,
  { indent, label = indent, wrap = splitBehindBlanks }: BoxIndent,
): string[] {
  const { paints, columns } = style
  const room = columns === undefined ? Infinity : Math.max(10, columns - indent.length - 3)
  const rows = toVisible(text)
    .split('\n')
    .flatMap((line) => wrap(line, room).map((row) => paint(row, line)))
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
