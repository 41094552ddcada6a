import type { Card } from '../../../domain/approval.ts'
import type { Canvas } from './canvas.ts'
import { toPrintableLine } from './printable.ts'
import { allOfIt, type CardRoom, leastRoom } from './runs/card-room.ts'
import { cardRuns } from './runs/card-runs.ts'
import type { StatusView } from './runs/card-status.ts'
import { cutText } from './runs/cut-text.ts'
import { code, lineBreak, plainRuns, type Run, run, textOf } from './runs/run.ts'
import { fits, sizeOfRuns } from './runs/size.ts'

export interface CardView extends StatusView {
  /** Of the output of what runs. */
  readonly lastLine?: string
}

export interface DrawnCard<Drawn> {
  readonly drawn: Drawn
  /** APPR-16: false where there was no room for all of it; then it must not be answered by a tap. */
  readonly isWhole: boolean
}

/** APPR-02, APPR-13: the card as one message, whatever its texts are; below one that is not whole stand the `words` for that. */
export function drawCard<Drawn>(
  canvas: Canvas<Drawn>,
  card: Card,
  view: CardView,
  words = '',
): DrawnCard<Drawn> {
  const isRoom = (runs: readonly Run[]) => fits(sizeOfRuns(runs, canvas.sizeOf), canvas.limit)
  const whole = compose(canvas, card, view, allOfIt)
  if (isRoom(whole)) return { drawn: canvas.draw(whole), isWhole: true }
  const below = words === '' ? [] : plainRuns(`\n\n${words}`)
  const what = roomForWhat(canvas, card, [...whole, ...below])
  const less = [...compose(canvas, card, view, { ...allOfIt, what }), ...below]
  if (isRoom(less)) return { drawn: canvas.draw(less), isWhole: false }
  const least = [...compose(canvas, card, view, leastRoom), ...below]
  return { drawn: canvas.draw(least), isWhole: false }
}

function compose<Drawn>(
  canvas: Canvas<Drawn>,
  card: Card,
  view: CardView,
  room: CardRoom,
): readonly Run[] {
  const lastLine = cutText(toPrintableLine(view.lastLine ?? ''), 120)
  const showsOutput = card.status.kind === 'running' && lastLine !== ''
  const output = showsOutput ? [lineBreak(), run(lastLine, code)] : []
  return canvas.defuse([...cardRuns(card, view, room), ...output], 'card')
}

/** What is left for it beside everything else, and the words that say what is missing. */
function roomForWhat<Drawn>(
  { limit }: Canvas<Drawn>,
  { what }: Card,
  whole: readonly Run[],
): number {
  const shown = whole.find(({ marks }) => marks.pre !== undefined)?.text ?? what
  return Math.max(leastRoom.what, shown.length - (textOf(whole).length - limit.units) - 120)
}
