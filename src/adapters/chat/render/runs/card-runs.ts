import type { Card } from '../../../../domain/approval.ts'
import type { Messages } from '../../../../domain/messages/messages.ts'
import { type ButtonsView, isNamedOnButton } from '../card-buttons.ts'
import { type CardModel, cardModel, type Detail } from '../card-model.ts'
import type { Line as ModelLine } from '../card-state.ts'
import { approvalName, visibleLine } from '../card-words.ts'
import { cardMarker, isolateFromRight, toVisible } from '../printable.ts'
import { type StatusView, timePiece, untilPiece } from './card-status.ts'
import { cutText, headOf, tailOfText } from './cut-text.ts'
import { bold, code, lineBreak, type Marks, plain, type Run, run } from './run.ts'

export const fullRoom: CardRoom = { what: Infinity, line: Infinity, entries: Infinity }

/** With this room every card fits into a message. */
export const minRoom: CardRoom = { what: 600, line: 80, entries: 5 }

/** Maximum size of a short block, which is never folded. */
const shortLines = 12

const shortUnits = 1_000

/** Length of the call on the card once it is decided, in UTF-16 units. */
const titleUnits = 76

/** Title of a call that changes a file, followed by the diff. */
const diff = /^([^\n]+)\n\n((?:--- |@@ )[\s\S]*)$/

/** The content of a card (CARD-01, CARD-05): first what a decision needs, then the details. */
export function cardRuns(card: Card, view: CardRunsView, room: CardRoom): Run[] {
  const { messages } = view.means
  const model = modelOf(card, view)
  if (card.status.kind !== 'waiting') return decidedRuns(card, model, view, room)
  const put = (line: ModelLine): Line => lineRuns(messages, line, room)
  return stacked([
    [[run(`${cardMarker} `), ...put(model.headline)], ...callLines(messages, card, room)],
    [
      ...rows(messages, model.effects.map(put), room),
      ...rows(messages, model.notes.map(put), room),
      put(model.state),
      ...openDetails(card, model, view, room),
    ],
  ])
}

/**
 * CARD-02, CARD-03: the details are folded where the platform can, else shown once they were asked for. The choices of *Always*
 * show what they allow; so do the first lines of a folded quote where a single tap grants it.
 */
function openDetails(
  card: Card,
  { details }: CardModel,
  { means }: CardRunsView,
  room: CardRoom,
): Line[] {
  const { folds, messages } = means
  const always = details.filter(({ ofAlways }) => ofAlways === true)
  const others = details.filter((detail) => !always.includes(detail))
  if (card.open === 'choice') {
    const patterns = detailLines(messages, always, room, plain)
    return folds === true
      ? [...patterns, ...detailLines(messages, others, room, { details: true })]
      : patterns
  }
  if (folds !== true)
    return card.open === 'details' ? detailLines(messages, details, room, plain) : []
  const ordered = isNamedOnButton(card, means) ? [...always, ...others] : details
  return detailLines(messages, ordered, room, { details: true })
}

/** With the means of the platform. */
export interface CardRunsView extends StatusView {
  readonly means: ButtonsView
}

function modelOf(card: Card, { now, elapsedMs, means }: CardRunsView): CardModel {
  const { messages } = means
  return cardModel(card, {
    messages,
    at: (time) => timePiece(messages, time, now),
    until: (time) => untilPiece(messages, time, now),
    elapsedMs,
    takesReplies: true,
  })
}

/** CARD-05: the call on one line and its state; the rest is folded, or left out where nothing can be folded. */
function decidedRuns(
  card: Card,
  { state, notes, details }: CardModel,
  { means: { folds, messages } }: CardRunsView,
  room: CardRoom,
): Run[] {
  const [first = ''] = card.what.split('\n', 1)
  const title = cutText(toVisible(first), titleUnits)
  const isTold = title === card.what
  return stacked([
    [
      [
        run(`${cardMarker} ${approvalName(messages, card.number)} · `),
        run(title === '' ? messages.display.empty : isolateFromRight(title), code),
        ...(isTold || folds === true ? [] : [run(' …')]),
      ],
      lineRuns(messages, state, room),
      ...notes.map((line) => lineRuns(messages, line, room)),
      ...lastLineOf(card),
      ...detailLines(messages, details, room, folds === true ? { details: true } : plain),
      ...(folds === true && !isTold ? [[wholeCall(messages, card, room)]] : []),
    ],
  ])
}

/** The last line of a finished call's output; that of a running one is added when it is drawn. */
function lastLineOf({ status }: Card): Line[] {
  const lastLine = status.kind === 'finished' ? (status.lastLine ?? '') : ''
  return lastLine === ''
    ? []
    : [[run(isolateFromRight(cutText(visibleLine(lastLine), titleUnits)), code)]]
}

function wholeCall(messages: Messages, { what, language = '', file }: Card, room: CardRoom): Run {
  const warning = file === undefined ? '' : `: ${messages.display.fileHasAll}`
  const text = putBlock(messages, what, { units: room.what, warning })
  return run(text, { pre: language, folded: true })
}

const styles = { none: plain, code, strong: bold, name: bold } as const

/** A line of the model; in a small room its parts are cut. */
export function lineRuns(
  messages: Messages,
  line: ModelLine,
  room: CardRoom,
  marks: Marks = plain,
): Line {
  return line.map(({ text, style, instant }) => {
    const own = { ...styles[style ?? 'none'], ...(instant === undefined ? {} : { instant }) }
    return run(putLine(messages, text, room.line), { ...marks, ...own })
  })
}

/** The details as one run of lines, so that one quote holds all; a single value stands after its label. */
export function detailLines(
  messages: Messages,
  details: readonly Detail[],
  room: CardRoom,
  marks: Marks,
): Line[] {
  const lines = details.flatMap(({ label, values }): Line[] => {
    const head = run(label, { ...marks, ...bold })
    const [only] = values
    if (only !== undefined && values.length === 1)
      return [[head, run(' ', marks), ...lineRuns(messages, only, room, marks)]]
    const each = values.map(
      (value): Line => [run('• ', marks), ...lineRuns(messages, value, room, marks)],
    )
    return [[head], ...rows(messages, each, room, marks)]
  })
  const [first, ...others] = lines
  if (first === undefined) return []
  return [[...first, ...others.flatMap((line) => [lineBreak(marks), ...line])]]
}

/** As many lines as fit, and the number of the others. */
function rows(
  { display }: Messages,
  lines: readonly Line[],
  { entries }: CardRoom,
  marks: Marks = plain,
): Line[] {
  const count = lines.length - entries
  return [
    ...lines.slice(0, entries),
    ...(count > 0 ? [[run(`⋯ ${display.moreRows({ count })} ⋯`, marks)]] : []),
  ]
}

export type Line = readonly Run[]

/** Joins groups of lines, with an empty line or a block of code between groups. */
export function stacked(groups: readonly (readonly Line[])[]): Run[] {
  const stack: Run[] = []
  for (const lines of groups) {
    for (const [index, line] of lines.entries()) {
      const above = stack.at(-1)
      const text = index > 0 || above?.marks.pre !== undefined ? '\n' : '\n\n'
      if (above !== undefined) stack.push({ ...lineBreak(), text })
      stack.push(...line)
    }
  }
  return stack
}

/**
 * The call itself, as a block of code, so that its text cannot pass for a line of the card (APPR-02, THREAT-23). It is not
 * folded while the approval is pending.
 */
export function callLines(
  messages: Messages,
  { language = '', what, file, status }: Card,
  room: CardRoom,
): (readonly Run[])[] {
  const { doNotApprove, empty, fileHasAll } = messages.display
  const hint = file === undefined ? doNotApprove : fileHasAll
  const warning = status.kind === 'waiting' ? `: ${hint}` : ''
  const how = { folds: status.kind !== 'waiting' }
  const [, title, change] = diff.exec(what) ?? []
  if (title !== undefined && change !== undefined) {
    return [
      [run(putLine(messages, title, Math.min(room.what, room.line)), code)],
      [codeBlock(putBlock(messages, change, { units: room.what, warning }), 'diff', how)],
    ]
  }
  const whole = putBlock(messages, what, { units: room.what, warning })
  const shown = whole.trim() === '' ? empty : whole
  return [[codeBlock(shown, language, how)]]
}

/** A block of code; with `folds`, a long one may be folded. */
export function codeBlock(text: string, language: string, { folds }: { folds: boolean }): Run {
  const marks: Marks = { pre: language }
  return run(text, folds && isLong(text) ? { ...marks, folded: true } : marks)
}

function isLong(text: string): boolean {
  return text.length > shortUnits || text.split('\n', shortLines + 1).length > shortLines
}

/** Room for the texts of a card, in UTF-16 units after hidden characters were made visible. */
export interface CardRoom {
  readonly what: number
  /** For each other line. */
  readonly line: number
  /** Maximum number of reasons, and of patterns. */
  readonly entries: number
}

/** Cuts a text of several lines in the middle, with a note of the omission. */
function putBlock(
  { display }: Messages,
  text: string,
  { units, warning }: { readonly units: number; readonly warning: string },
): string {
  const visible = toVisible(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, Math.ceil(units * 0.6))
  const tail = tailOfText(visible, Math.floor(units * 0.4))
  const count = [...visible].length - [...head].length - [...tail].length
  return `${head}\n⋯ ${display.cutText({ count })}${warning} ⋯\n${tail}`
}

/** Cuts a text in a line at the end, with a note of the omission, and isolates what is written from right to left. */
export function putLine({ display }: Messages, text: string, units: number): string {
  const visible = visibleLine(text)
  if (visible.length <= units) return isolateFromRight(visible)
  const head = headOf(visible, units)
  const count = [...visible].length - [...head].length
  return `${isolateFromRight(head)} ⋯ ${display.cutText({ count })} ⋯`
}
