import type { BatchCard } from '../../../domain/batch-card.ts'
import type { Canvas } from './canvas.ts'
import type { DrawnCard } from './draw-card.ts'
import { type BatchRoom, batchRuns } from './runs/batch-runs.ts'
import { allOfIt } from './runs/card-room.ts'
import type { StatusView } from './runs/card-status.ts'
import { fits, sizeOfRuns } from './runs/size.ts'

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
export function drawBatch<Drawn>(
  canvas: Canvas<Drawn>,
  batch: BatchCard,
  view: StatusView,
): DrawnCard<Drawn> {
  const rooms = [all, ...(batch.file === undefined ? [] : [besideFile]), ...cutRooms]
  for (const room of rooms) {
    const runs = canvas.defuse(batchRuns(batch, view, room), 'card')
    if (fits(sizeOfRuns(runs, canvas.sizeOf), canvas.limit))
      return { drawn: canvas.draw(runs), isWhole: room.isWhole }
  }
  throw new Error('a card for several questions has no room for itself')
}
