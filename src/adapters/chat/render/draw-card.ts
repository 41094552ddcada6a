import type { Card } from '../../../domain/approval.ts'
import type { Canvas } from './canvas.ts'
import { approvalName } from './card-words.ts'
import { toPrintableLine } from './printable.ts'
import { type CardRoom, cardRuns, fullRoom, minRoom } from './runs/card-runs.ts'
import type { StatusView } from './runs/card-status.ts'
import { cutText } from './runs/cut-text.ts'
import { code, lineBreak, plainRuns, type Run, run, textOf } from './runs/run.ts'
import { fits, sizeOfRuns } from './runs/size.ts'

export interface CardView extends StatusView {
  /** Last line of the running call's output. */
  readonly lastLine?: string
}

export interface DrawnCard<Drawn> {
  readonly drawn: Drawn
  /** False if the card was too long; then it must not be approved by a button (APPR-16). */
  readonly isWhole: boolean
  /** Whether everything but the call itself is whole: what *Always* would allow can be read. */
  readonly hasPatterns: boolean
}

/** Draws a card as one message of any content (APPR-02, APPR-13); `words` are added if it is not complete. */
export function drawCard<Drawn>(
  canvas: Canvas<Drawn>,
  card: Card,
  view: CardView,
  words = '',
): DrawnCard<Drawn> {
  const fitsMessage = (runs: readonly Run[]) => fits(sizeOfRuns(runs, canvas.sizeOf), canvas.limit)
  const whole = compose(canvas, card, view, fullRoom)
  const name =
    card.status.kind === 'waiting' ? approvalName(canvas.messages, card.number) : undefined
  const draw = (runs: readonly Run[]): Drawn => canvas.draw(runs, name)
  if (fitsMessage(whole)) return { drawn: draw(whole), isWhole: true, hasPatterns: true }
  const below = words === '' ? [] : plainRuns(`\n\n${words}`)
  const what = roomForCall(canvas, card, [...whole, ...below])
  const shorter = [...compose(canvas, card, view, { ...fullRoom, what }), ...below]
  if (fitsMessage(shorter)) return { drawn: draw(shorter), isWhole: false, hasPatterns: true }
  const shortest = [...compose(canvas, card, view, minRoom), ...below]
  return { drawn: draw(shortest), isWhole: false, hasPatterns: false }
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
  const runs = cardRuns(card, { ...view, means: canvas }, room)
  return canvas.makeInert([...runs, ...output], 'card')
}

/** Room for the call's text beside everything else and the note about the omission, in UTF-16 units. */
function roomForCall<Drawn>(
  { limit }: Canvas<Drawn>,
  { what }: Card,
  whole: readonly Run[],
): number {
  const shown = whole.find(({ marks }) => marks.pre !== undefined)?.text ?? what
  return Math.max(minRoom.what, shown.length - (textOf(whole).length - limit.units) - 120)
}
