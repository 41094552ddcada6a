import {
  type BatchCard,
  type Card,
  type CardGroup,
  groupsOf,
  pendingCards,
} from '../../../../domain/approval.ts'
import { effectLines, effectText } from '../../../../domain/effect.ts'
import type { Messages } from '../../../../domain/messages/messages.ts'
import { hidesDanger } from '../card-buttons.ts'
import { type Detail, effectRows } from '../card-model.ts'
import { type Line as ModelLine, stateOf } from '../card-state.ts'
import {
  fileSize,
  fileWords,
  nameWords,
  numbersOf,
  visibleLine,
  whoMayAnswer,
} from '../card-words.ts'
import { groupReasons } from '../group-reasons.ts'
import { cardMarker } from '../printable.ts'
import {
  type CardRoom,
  type CardRunsView,
  callLines,
  detailLines,
  type Line,
  lineRuns,
  putLine,
  stacked,
} from './card-runs.ts'
import { timePiece, untilPiece } from './card-status.ts'
import { bold, code, italic, plain, type Run, run } from './run.ts'

/** Room for the parts of a card for several approvals. */
export interface BatchRoom extends CardRoom {
  /** Number of approvals shown; pending ones first. */
  readonly cards: number
  /** Whether a sign shows each one's status instead of a line. */
  readonly signs: boolean
  /** Whether all of them are shown, so that all may be approved. */
  readonly isWhole: boolean
}

interface BatchView {
  readonly view: CardRunsView
  readonly room: BatchRoom
}

/** The content of a card for several approvals (APPR-10, CARD-04): alike calls stand together, the details last. */
export function batchRuns(batch: BatchCard, view: CardRunsView, room: BatchRoom): Run[] {
  const { messages } = view.means
  const batchView: BatchView = { view, room }
  const isBrief = batch.file !== undefined
  const shown = shownCards(batch, room)
  const groups = groupsOf(batch.cards).map((group): Line[] => {
    const members = group.cards
      .filter((card) => shown.includes(card))
      .map((card) => (isBrief ? briefLines(card, batchView) : questionLines(card, batchView)))
    const hasTitle = group.cards.length > 1 && members.length > 0
    return [...(hasTitle ? [groupTitle(messages, group, room)] : []), ...members.flat()]
  })
  return stacked([
    [headline(messages, batch, room)],
    ...groups,
    moreLines(messages, batch, shown),
    [
      ...noteLines(messages, batch, room),
      [run(statusText(messages, batch), bold)],
      ...openDetails(batch, shown, batchView),
    ],
  ])
}

/** CARD-02: the details are folded where the platform can, else shown once they were asked for. */
function openDetails(batch: BatchCard, shown: readonly Card[], { view, room }: BatchView): Line[] {
  const { folds, messages } = view.means
  if (folds !== true && batch.open === undefined && pendingCards(batch).length > 0) return []
  return detailLines(
    messages,
    detailsOf(batch, shown, view),
    room,
    folds === true ? { details: true } : plain,
  )
}

function headline(messages: Messages, { cards }: BatchCard, room: BatchRoom): Line {
  const { display } = messages
  const [first] = cards
  const where: ModelLine =
    first?.where === undefined
      ? []
      : [{ text: display.inPlace }, { text: first.where, style: 'code' }]
  const line: ModelLine = [
    {
      text: display.agentOf({ name: nameWords(messages, first?.requestedBy ?? '') }),
      style: 'strong',
    },
    { text: display.wantsCalls({ count: cards.length }) },
    ...where,
    { text: ':' },
  ]
  return [run(`${cardMarker} `), ...lineRuns(messages, line, room)]
}

/** `A · 3 × edit a file in src/`, by whose letter buttons name it; without letters left only what they do. */
function groupTitle(messages: Messages, { name, where, cards }: CardGroup, room: BatchRoom): Line {
  const [first] = cards
  const does = first === undefined ? '' : doesOf(first)
  const letter = /^[A-Z]$/.test(name) ? `${name} · ` : ''
  const head = run(`${letter}${cards.length} × ${putLine(messages, does, room.line)}`, bold)
  if (where === undefined) return [head]
  return [head, run(messages.display.inPlace), run(putLine(messages, where, room.line), code)]
}

function doesOf({ does, tool }: Card): string {
  return visibleLine(does ?? tool)
}

/** The approvals that fit, preferring pending ones, in their order. */
function shownCards({ cards }: BatchCard, room: BatchRoom): readonly Card[] {
  if (cards.length <= room.cards) return cards
  const waits = ({ status }: Card): number => (status.kind === 'waiting' ? 0 : 1)
  const first = cards.toSorted((one, other) => waits(one) - waits(other)).slice(0, room.cards)
  return cards.filter((card) => first.includes(card))
}

function moreLines({ display }: Messages, batch: BatchCard, shown: readonly Card[]): Line[] {
  const count = batch.cards.length - shown.length
  const waiting = pendingCards(batch).filter((card) => !shown.includes(card)).length
  return count === 0 ? [] : [[run(`⋯ ${display.moreCalls({ count, waiting })} ⋯`)]]
}

function questionLines(card: Card, view: BatchView): Line[] {
  const { room } = view
  const { messages } = view.view.means
  return [
    [run(`${card.number} · ${putLine(messages, doesOf(card), room.line)}`, bold)],
    ...callLines(messages, card, room),
    ...effectRows(messages, card)
      .slice(0, room.entries)
      .map((line) => lineRuns(messages, line, room)),
    ...statusLines(card, view),
  ]
}

/** One line for an approval whose text is in the file: its beginning, its effects with what they concern, and its status. */
function briefLines(card: Card, view: BatchView): Line[] {
  const { room } = view
  const { messages } = view.view.means
  const what = run(putLine(messages, card.what, room.line), code)
  const effects =
    card.status.kind === 'waiting' ? effectLines(card.effects ?? [], messages.display.effects) : []
  const kinds = effects
    .map((line) => ` ${line.sign} ${putLine(messages, effectText(line), room.line)}`)
    .join(';')
  const head = [run(`${card.number} · `), what, run(kinds)]
  if (!room.signs) return [head, ...statusLines(card, view)]
  const sign = card.status.kind === 'waiting' ? '' : signOf(card, view)
  return [[run(sign), ...head]]
}

/** The sign at the start of the state. */
function signOf(card: Card, view: BatchView): string {
  const [first] = stateLine(card, view)
  return `${first?.text.split(' ', 1)[0] ?? ''} `
}

function stateLine(card: Card, { view: { now, means }, room }: BatchView): Line {
  const { messages } = means
  const line = stateOf(
    { ...card, alwaysPatterns: [] },
    {
      messages,
      at: (time) => timePiece(messages, time, now),
      until: (time) => untilPiece(messages, time, now),
      takesReplies: true,
    },
  )
  return lineRuns(messages, line, room)
}

function statusLines(card: Card, view: BatchView): Line[] {
  if (card.status.kind !== 'waiting') return [stateLine(card, view)]
  if (card.votes === undefined) return []
  const { messages } = view.view.means
  const { by, people } = card.votes
  const names = by.map(({ name }) => nameWords(messages, name)).join('; ')
  const votes = messages.approvals.votes({ approved: by.length, people })
  return [[run(`${votes}: ${names}`)]]
}

function noteLines(messages: Messages, batch: BatchCard, room: BatchRoom): Line[] {
  const { display } = messages
  const [first] = pendingCards(batch)
  if (first === undefined) return []
  const count = first.messagesKept ?? 0
  const { file } = batch
  return [
    ...(file === undefined
      ? []
      : [[run(`📎 ${display.wholeInFile({ size: fileSize(messages, file) })}`)]]),
    ...(count > 0 ? [[run(`💬 ${display.kept({ count })}`)]] : []),
    room.isWhole && !hidesDanger(pendingCards(batch))
      ? [run(display.oneByOne, italic)]
      : [run(`⛔ ${display.batchCut}`)],
    ...warningLines(batch),
  ]
}

/** Warnings about the box, which the lines of calls beside a file do not have. */
function warningLines(batch: BatchCard): Line[] {
  if (batch.file === undefined) return []
  const warnings = pendingCards(batch).flatMap(({ warning }) => warning?.split('\n') ?? [])
  return [...new Set(warnings)].map((words) => [run(`⚠️ ${visibleLine(words)}`)])
}

/** Who may decide, and until when, equal for all; then the reasons of each. */
function detailsOf(
  batch: BatchCard,
  shown: readonly Card[],
  { now, means }: CardRunsView,
): Detail[] {
  const { messages } = means
  const { details } = messages.display
  const numbers = { label: details.approvals, values: [[{ text: numbersOf(messages, batch) }]] }
  const [first] = pendingCards(batch)
  if (first === undefined) return [numbers]
  const { name, words } = whoMayAnswer(messages, first)
  const { file } = batch
  return [
    { label: details.who, values: [[{ text: name, style: 'name' }, { text: words }]] },
    { label: details.until, values: [[untilPiece(messages, first.expiresAt, now)]] },
    numbers,
    ...(file === undefined
      ? []
      : [{ label: details.file, values: [[{ text: fileWords(messages, file) }]] }]),
    ...(file === undefined ? shown.flatMap((card) => reasonsOf(messages, card)) : []),
  ]
}

function reasonsOf({ cards }: Messages, card: Card): Detail[] {
  const { number, tool, risk, effects, reasons, status } = card
  if (status.kind !== 'waiting' || effects === undefined) return []
  const label = `${number} · ${visibleLine(tool)}${risk === undefined ? '' : `, ${cards.risk({ risk })}`}`
  const values = groupReasons(reasons, tool).map((reason) => [{ text: visibleLine(reason) }])
  return [{ label, values }]
}

function statusText({ display }: Messages, batch: BatchCard): string {
  const waiting = pendingCards(batch).length
  if (waiting === 0) return display.allAnswered
  const all = batch.cards.length
  return waiting === all ? display.waiting : display.someWait({ waiting, all })
}
