import type { BatchAction, BatchCard } from '../../../../domain/batch-card.ts'
import { waitingOf } from '../../../../domain/batch-card.ts'
import { type BatchRoom, batchRuns } from './batch-runs.ts'
import type { CardHtml } from './card-html.ts'
import { allOfIt } from './card-room.ts'
import type { StatusView } from './card-status.ts'
import { defuse } from './defuse.ts'
import type { Run } from './run.ts'
import { fits, messageLimit, sizeOfRuns } from './size.ts'
import { toHtml } from './to-html.ts'

/** A button below the card; `style` for servers that know it. */
export interface BatchButton {
  readonly action: BatchAction
  readonly label: string
  readonly style?: 'success' | 'danger'
}

/** So many stretches of code a line, that Telegram shows all of them. */
const mostDefused = 2

const all: BatchRoom = { ...allOfIt, cards: Infinity, signs: false, isWhole: true }
/** Where a file has the whole of each question, what became of it may be a sign. */
const besideFile: BatchRoom = { ...all, signs: true }
const less: BatchRoom = { ...besideFile, what: 120, line: 80, entries: 1, isWhole: false }
const least: BatchRoom = { ...less, what: 40, line: 40, entries: 0 }
/** Tried in turn; for the last there is room always. */
const cutRooms: readonly BatchRoom[] = [
  less,
  least,
  { ...least, cards: 20 },
  { ...least, cards: 5 },
  { ...least, cards: 0 },
]

/** APPR-10: several questions as one message, whatever their texts are; how many wait shows always. */
export function batchHtml(batch: BatchCard, view: StatusView): CardHtml {
  const rooms = [all, ...(batch.file === undefined ? [] : [besideFile]), ...cutRooms]
  const composed = rooms.map((room) => () => ({ room, runs: compose(batch, view, room) }))
  for (const attempt of composed) {
    const { room, runs } = attempt()
    if (fits(sizeOfRuns(runs), messageLimit)) return { html: toHtml(runs), isWhole: room.isWhole }
  }
  throw new Error('a card for several questions has no room for itself')
}

function compose(batch: BatchCard, view: StatusView, room: BatchRoom): Run[] {
  return defuse(batchRuns(batch, view, room), 'commands and mentions', mostDefused)
}

/** APPR-20: none once all are answered. What was not wholly shown cannot be approved in one go (APPR-16). */
export function batchButtons(batch: BatchCard, isWhole: boolean): readonly BatchButton[] {
  const count = waitingOf(batch).length
  if (count === 0) return []
  const label = `Approve all ${count}`
  const approve: BatchButton = { action: 'approve_all', label, style: 'success' }
  return [
    ...(isWhole ? [approve] : []),
    { action: 'review', label: 'One by one' },
    { action: 'deny_all', label: 'Deny all', style: 'danger' },
  ]
}
