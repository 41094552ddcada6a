import type { BatchAction, BatchCard } from '../../../domain/batch-card.ts'
import type { DeliveryContext } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import { type Button, batchButtons } from '../render/card-buttons.ts'
import type { DrawnCard } from '../render/draw-card.ts'
import { type BatchRoom, batchRuns } from '../render/runs/batch-runs.ts'
import { allOfIt } from '../render/runs/card-room.ts'
import type { StatusView } from '../render/runs/card-status.ts'
import { fits, sizeOfRuns } from '../render/runs/size.ts'
import type { Sending, SendOptions } from './messenger.ts'
import type { SentMessage } from './send-card.ts'
import { sendFile } from './send-file.ts'
import { sendParts } from './send-parts.ts'

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

/** Sends a card for several questions, behind its file if it has one (APPR-02). */
export async function sendBatch<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  batch: BatchCard,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { messenger } = sending
  const { file } = batch
  const { drawn, buttons, cut } = compose(sending, batch)
  const about = `questions ${batch.cards[0]?.number} to ${batch.cards.at(-1)?.number}`
  const before = file === undefined ? [] : [() => sendFile(messenger, place, file, about, context)]
  const question = async (): Promise<string> =>
    messenger.send(place, drawn, await withTokens(batch, buttons, context))
  return { messageId: await sendParts([...before, question], context), ...cut }
}

/** Makes it say what became of its questions; buttons that are of no use go (APPR-05). */
export async function updateBatch<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  batch: BatchCard,
  messageId: string,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { drawn, buttons, cut } = compose(sending, batch)
  await sending.messenger.edit(place, messageId, drawn, await withTokens(batch, buttons, context))
  return { messageId, ...cut }
}

/** APPR-16: what was not wholly shown cannot be approved; a file that went before the card has all that a line of it leaves out. */
function compose<Drawn>({ messenger, now }: Sending<Drawn>, batch: BatchCard) {
  const { drawn, isWhole } = drawBatch(messenger.canvas, batch, { now: now() })
  const cut: { readonly isCut?: true } = isWhole ? {} : { isCut: true }
  return { drawn, buttons: batchButtons(batch, isWhole), cut }
}

/** Tokens are made for this very message. */
async function withTokens(
  { batchId }: BatchCard,
  buttons: readonly Button<BatchAction>[],
  context: DeliveryContext,
): Promise<Pick<SendOptions, 'buttons'>> {
  if (buttons.length === 0) return {}
  const actions = buttons.map(({ action }) => action)
  const tokens = await context.mintBatchTokens(batchId, actions)
  return { buttons: [buttons.map((button) => ({ ...button, token: tokens[button.action] }))] }
}

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
