import { posix } from 'node:path'
import { type BatchCard, type Card, pendingCards } from '../../../../domain/approval.ts'
import { effectLines, effectText } from '../../../../domain/effect.ts'
import { type Detail, effectRows, type Line as ModelLine, stateOf } from '../card-model.ts'
import {
  fileSize,
  fileWords,
  keptWords,
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
import { timeWords, untilWords } from './card-status.ts'
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
  const batchView: BatchView = { view, room }
  const isBrief = batch.file !== undefined
  const shown = shownCards(batch, room)
  const groups = groupsOf(shown).map(({ title, where, cards }): Line[] => {
    const members = cards.map((card) =>
      isBrief ? briefLines(card, batchView) : questionLines(card, batchView),
    )
    const head: Line[] = cards.length === 1 ? [] : [groupTitle(cards.length, title, where, room)]
    return [...head, ...members.flat()]
  })
  return stacked([
    [headline(batch, room)],
    ...groups,
    moreLines(batch, shown),
    [
      ...noteLines(batch, room),
      [run(statusText(batch), bold)],
      ...openDetails(batch, shown, batchView),
    ],
  ])
}

/** CARD-02: the details are folded where the platform can, else shown once they were asked for. */
function openDetails(batch: BatchCard, shown: readonly Card[], { view, room }: BatchView): Line[] {
  const { folds } = view.means
  if (folds !== true && batch.open === undefined && pendingCards(batch).length > 0) return []
  return detailLines(
    detailsOf(batch, shown, view),
    room,
    folds === true ? { details: true } : plain,
  )
}

function headline({ cards }: BatchCard, room: BatchRoom): Line {
  const [first] = cards
  const where: ModelLine =
    first?.where === undefined ? [] : [{ text: ' in ' }, { text: first.where, style: 'code' }]
  const line: ModelLine = [
    { text: `${nameWords(first?.requestedBy ?? '')}'s agent`, style: 'strong' },
    { text: ` wants to make ${cards.length} calls` },
    ...where,
    { text: ':' },
  ]
  return [run(`${cardMarker} `), ...lineRuns(line, room)]
}

interface Group {
  readonly title: string
  /** Directory of the files, if all are in one. */
  readonly where: string | undefined
  readonly cards: Card[]
}

/** Calls that do the same, and file calls in the same directory, in the order of their first. */
function groupsOf(cards: readonly Card[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const card of cards) {
    const title = doesOf(card)
    const { copyable } = card
    const where = copyable?.kind === 'path' ? `${posix.dirname(copyable.text)}/` : undefined
    const key = JSON.stringify([title, where])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { title, where, cards: [card] })
    else group.cards.push(card)
  }
  return [...groups.values()]
}

function groupTitle(
  count: number,
  title: string,
  where: string | undefined,
  room: BatchRoom,
): Line {
  const head = run(`${count} × ${putLine(title, room.line)}`, bold)
  return where === undefined ? [head] : [head, run(' in '), run(putLine(where, room.line), code)]
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

function moreLines(batch: BatchCard, shown: readonly Card[]): Line[] {
  const more = batch.cards.length - shown.length
  const wait = pendingCards(batch).filter((card) => !shown.includes(card)).length
  return more === 0 ? [] : [[run(`⋯ ${more} more not shown here, of which ${wait} wait ⋯`)]]
}

function questionLines(card: Card, view: BatchView): Line[] {
  const { room } = view
  return [
    [run(`${card.number} · ${putLine(doesOf(card), room.line)}`, bold)],
    ...callLines(card, room),
    ...effectRows(card)
      .slice(0, room.entries)
      .map((line) => lineRuns(line, room)),
    ...statusLines(card, view),
  ]
}

/** One line for an approval whose text is in the file: its beginning, its effects with what they concern, and its status. */
function briefLines(card: Card, view: BatchView): Line[] {
  const { room } = view
  const what = run(putLine(card.what, room.line), code)
  const effects = card.status.kind === 'waiting' ? effectLines(card.effects ?? []) : []
  const kinds = effects
    .map((line) => ` ${line.sign} ${putLine(effectText(line), room.line)}`)
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

function stateLine(card: Card, { view: { now }, room }: BatchView): Line {
  const line = stateOf(
    { ...card, alwaysPatterns: [] },
    {
      at: (time) => timeWords(time, now),
      until: (time) => untilWords(time, now),
      takesReplies: true,
    },
  )
  return lineRuns(line, room)
}

function statusLines(card: Card, view: BatchView): Line[] {
  if (card.status.kind !== 'waiting') return [stateLine(card, view)]
  if (card.votes === undefined) return []
  const { by, people } = card.votes
  const names = by.map(({ name }) => nameWords(name)).join('; ')
  return [[run(`${by.length} of ${people} approved: ${names}`)]]
}

function noteLines(batch: BatchCard, room: BatchRoom): Line[] {
  const [first] = pendingCards(batch)
  if (first === undefined) return []
  const kept = first.messagesKept ?? 0
  const { file } = batch
  const inFile = '📎 The whole of each is in the file above'
  return [
    ...(file === undefined ? [] : [[run(`${inFile} (${fileSize(file)}).`)]]),
    ...(kept > 0 ? [[run(`💬 ${keptWords(kept)}`)]] : []),
    room.isWhole ? [run(howTo, italic)] : [run(notWhole)],
  ]
}

/** Who may decide, and until when, equal for all; then the reasons of each. */
function detailsOf(batch: BatchCard, shown: readonly Card[], { now }: CardRunsView): Detail[] {
  const numbers = { label: 'Approvals', values: [[{ text: numbersOf(batch) }]] }
  const [first] = pendingCards(batch)
  if (first === undefined) return [numbers]
  const { name, words } = whoMayAnswer(first)
  const { file } = batch
  return [
    { label: 'Who may answer', values: [[{ text: name, style: 'name' }, { text: words }]] },
    { label: 'Until', values: [[{ text: untilWords(first.expiresAt, now) }]] },
    numbers,
    ...(file === undefined ? [] : [{ label: 'File', values: [[{ text: fileWords(file) }]] }]),
    ...(file === undefined ? shown.flatMap(reasonsOf) : []),
  ]
}

function reasonsOf(card: Card): Detail[] {
  const { number, tool, risk, effects, reasons, status } = card
  if (status.kind !== 'waiting' || effects === undefined) return []
  const label = `${number} · ${visibleLine(tool)}${risk === undefined ? '' : `, risk ${risk}`}`
  const values = groupReasons(reasons, tool).map((reason) => [{ text: visibleLine(reason) }])
  return [{ label, values }]
}

function statusText(batch: BatchCard): string {
  const waiting = pendingCards(batch).length
  if (waiting === 0) return 'All are answered.'
  const all = batch.cards.length
  return waiting === all ? 'Waiting for an answer.' : `${waiting} of ${all} wait for an answer.`
}

const howTo = 'One by one gives each a card of its own, with Always and Edit.'
const notWhole = '⛔ Not all of it can be shown here: One by one shows each by itself.'
