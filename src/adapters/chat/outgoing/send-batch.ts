import { type BatchCard, type GroupAnswer, groupAnswers } from '../../../domain/approval.ts'
import type { DeliveryContext } from '../../../ports/chat.ts'
import type { Canvas } from '../render/canvas.ts'
import { type BatchButton, batchRows } from '../render/card-buttons.ts'
import { approvalsName } from '../render/card-words.ts'
import type { DrawnCard } from '../render/draw-card.ts'
import { type BatchRoom, batchRuns } from '../render/runs/batch-runs.ts'
import { fullRoom } from '../render/runs/card-runs.ts'
import type { StatusView } from '../render/runs/card-status.ts'
import { fits, sizeOfRuns } from '../render/runs/size.ts'
import type { Sending, SendOptions } from './messenger.ts'
import { type EditContext, type SentMessage, sendFile } from './send-card.ts'
import { sendParts } from './send-parts.ts'

const fullBatchRoom: BatchRoom = { ...fullRoom, cards: Infinity, signs: false, isWhole: true }

/** If a file contains every question in full, a sign can show each one's status. */
const withFile: BatchRoom = { ...fullBatchRoom, signs: true }

const cutRoom: BatchRoom = { ...withFile, what: 120, line: 80, entries: 1, isWhole: false }

const smallestRoom: BatchRoom = { ...cutRoom, what: 40, line: 40, entries: 0 }

/** Tried in order; the last always fits. */
const cutRooms: readonly BatchRoom[] = [
  cutRoom,
  smallestRoom,
  { ...smallestRoom, cards: 20 },
  { ...smallestRoom, cards: 5 },
  { ...smallestRoom, cards: 0 },
]

/** Sends a card for several approvals, after its file if it has one (APPR-02). */
export async function sendBatch<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  batch: BatchCard,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { messenger } = sending
  const { file } = batch
  const { drawn, rows, cut } = compose(sending, batch)
  const about = approvalsName(messenger.canvas.messages, batch)
  const before =
    file === undefined ? [] : [() => sendFile({ messenger, place }, file, about, context)]
  const card = async (): Promise<string> =>
    messenger.send(place, drawn, await withTokens(batch, rows, context))
  return { messageId: await sendParts([...before, card], context), ...cut }
}

/** Updates the card with the status of its approvals and removes useless buttons (APPR-05). */
export async function updateBatch<Drawn>(
  sending: Sending<Drawn>,
  place: string,
  batch: BatchCard,
  context: EditContext,
): Promise<SentMessage> {
  const { drawn, rows, cut } = compose(sending, batch)
  const messageId = context.editOf
  await sending.messenger.edit(place, messageId, drawn, await withTokens(batch, rows, context))
  return { messageId, ...cut }
}

/**
 * Draws the card. Whatever is not shown completely cannot be approved, unless a file sent before the card contains it
 * (APPR-16).
 */
function compose<Drawn>({ messenger, now }: Sending<Drawn>, batch: BatchCard) {
  const { drawn, isWhole } = drawBatch(messenger.canvas, batch, { now: now() })
  const cut: { readonly isCut?: true } = isWhole ? {} : { isCut: true }
  return { drawn, rows: batchRows(batch, messenger.canvas, isWhole), cut }
}

/** Creates tokens for this message only. */
async function withTokens(
  { batchId }: BatchCard,
  rows: readonly (readonly BatchButton[])[],
  context: DeliveryContext,
): Promise<Pick<SendOptions, 'buttons'>> {
  if (rows.length === 0) return {}
  const actions = rows.flat().flatMap((button) => ('of' in button ? [] : [button.action]))
  const tokens = await context.mintBatchTokens(batchId, actions)
  const ofGroups = new Map<string, Readonly<Record<GroupAnswer, string>>>()
  for (const button of rows.flat()) {
    if ('of' in button && !ofGroups.has(button.of))
      ofGroups.set(button.of, await context.mintTokens(button.of, groupAnswers))
  }
  const tokenOf = (button: BatchButton): string =>
    'of' in button ? (ofGroups.get(button.of)?.[button.action] ?? '') : tokens[button.action]
  return { buttons: rows.map((row) => row.map((one) => ({ ...one, token: tokenOf(one) }))) }
}

/** Draws a card for several approvals in one message, of any length; the number of pending ones is always shown (APPR-10). */
export function drawBatch<Drawn>(
  canvas: Canvas<Drawn>,
  batch: BatchCard,
  view: StatusView,
): Pick<DrawnCard<Drawn>, 'drawn' | 'isWhole'> {
  const rooms = [fullBatchRoom, ...(batch.file === undefined ? [] : [withFile]), ...cutRooms]
  for (const room of rooms) {
    const runs = canvas.makeInert(batchRuns(batch, { ...view, means: canvas }, room), 'card')
    if (fits(sizeOfRuns(runs, canvas.sizeOf), canvas.limit))
      return {
        drawn: canvas.draw(runs, approvalsName(canvas.messages, batch)),
        isWhole: room.isWhole,
      }
  }
  throw new Error('a card for several approvals has no room for itself')
}
