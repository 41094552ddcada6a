import { type BatchCard, type Card, pendingCards } from '../../../../domain/approval.ts'
import { fileWords, keptWords, nameWords, whoMayAnswer } from '../card-words.ts'
import { groupReasons } from '../group-reasons.ts'
import { cardMarker } from '../printable.ts'
import { type CardRoom, callLines, type Line, putLine, stacked } from './card-runs.ts'
import { type Put, type StatusView, statusRuns, untilWords } from './card-status.ts'
import { bold, code, italic, type Run, run } from './run.ts'

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
  readonly view: StatusView
  readonly room: BatchRoom
  readonly put: Put
}

/** The content of a card for several approvals (APPR-02, APPR-10). The status is the last line, directly above the buttons. */
export function batchRuns(batch: BatchCard, view: StatusView, room: BatchRoom): Run[] {
  const batchView: BatchView = { view, room, put: (text) => putLine(text, room.line) }
  const isBrief = batch.file !== undefined
  const shown = shownCards(batch, room)
  const questions = shown.map((card) =>
    isBrief ? briefLines(card, batchView) : questionLines(card, batchView),
  )
  return stacked([
    [[run(`${cardMarker} ${titleOf(batch)}`, bold)]],
    ...(isBrief ? [questions.flat()] : questions),
    moreLines(batch, shown),
    answerLines(batch, batchView),
    [[run(statusText(batch), bold)]],
  ])
}

function titleOf({ cards }: BatchCard): string {
  const numbers = cards.map(({ number }) => number)
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  const isWhole = last - first === numbers.length - 1
  const which = isWhole ? `${first} to ${last}` : numbers.join(', ')
  return `Questions ${which} · ${cards.length} calls for ${nameWords(cards[0]?.requestedBy ?? '')}`
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

function questionLines(card: Card, { view, room, put }: BatchView): Line[] {
  const reasons = groupReasons(card.reasons, card.tool).slice(0, room.entries)
  return [
    [run(`${card.number} · ${put(card.tool)}`, bold), ...riskRuns(card)],
    ...callLines(card, room),
    ...reasons.map((reason): Line => [run('Why ', italic), run(put(reason))]),
    ...(card.warning?.split('\n').map((line): Line => [run(`⚠️ ${put(line)}`)]) ?? []),
    ...statusLines(card, view, put),
  ]
}

/** One line for an approval whose details are in the file, with its status. */
function briefLines(card: Card, { view, room, put }: BatchView): Line[] {
  const what = [run(put(card.what), code), ...riskRuns(card)]
  const head = [run(`${card.number} · ${put(card.tool)} `), ...what]
  if (!room.signs) return [head, ...statusLines(card, view, put)]
  const sign = card.status.kind === 'waiting' ? '' : signOf(card, view)
  return [[run(sign), ...head]]
}

/** The sign at the start of the status text. */
function signOf(card: Card, view: StatusView): string {
  const [first] = statusRuns(card.status, view, (text) => text, [])
  return `${first?.text.split(' ', 1)[0] ?? ''} `
}

function riskRuns({ risk }: Card): Line {
  return risk === undefined ? [] : [run(`, risk ${risk}`)]
}

function statusLines(card: Card, view: StatusView, put: Put): Line[] {
  if (card.status.kind !== 'waiting') return [statusRuns(card.status, view, put, [])]
  if (card.votes === undefined) return []
  const { by, people } = card.votes
  const names = by.map(({ name }) => nameWords(name)).join('; ')
  return [[run(`${by.length} of ${people} approved: ${names}`)]]
}

/** Who may decide, and until when; equal for all approvals of a batch. */
function answerLines(batch: BatchCard, { view, room, put }: BatchView): Line[] {
  const [first] = pendingCards(batch)
  if (first === undefined) return []
  const { name, words } = whoMayAnswer(first)
  const kept = first.messagesKept ?? 0
  return [
    [run('Who may answer', bold), run(' '), run(name, bold), run(put(words))],
    [run('Until', bold), run(` ${untilWords(first.expiresAt, view.now)}`)],
    ...(batch.file === undefined ? [] : [[run(`📎 ${put(fileWords(batch.file))}`)], [run(inFile)]]),
    ...(kept > 0 ? [[run(`💬 ${keptWords(kept)}`)]] : []),
    room.isWhole ? [run(howTo, italic)] : [run(notWhole)],
  ]
}

function statusText(batch: BatchCard): string {
  const waiting = pendingCards(batch).length
  if (waiting === 0) return 'All are answered.'
  const all = batch.cards.length
  return waiting === all ? 'Waiting for an answer.' : `${waiting} of ${all} wait for an answer.`
}

const inFile = 'The whole of each is in the file above.'
const howTo = 'One by one gives each a card of its own, with Always and Edit.'
const notWhole = '⛔ Not all of it can be shown here: One by one shows each by itself.'
