import type { InlineKeyboardMarkup } from 'grammy/types'
import type { BatchCard } from '../../../../domain/batch-card.ts'
import type { DeliveryContext } from '../../../../ports/chat.ts'
import { type BatchButton, batchButtons, batchHtml } from '../render/batch-html.ts'
import type { Place } from './place.ts'
import type { CardSending, SentMessage } from './send-card.ts'
import { sendFile } from './send-file.ts'
import { sendParts } from './send-parts.ts'

/** Sends a card for several questions, behind its file if it has one (APPR-02). */
export async function sendBatch(
  sending: CardSending,
  place: Place,
  batch: BatchCard,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { file } = batch
  const { html, buttons, cut } = compose(batch, sending.now())
  const about = `questions ${batch.cards[0]?.number} to ${batch.cards.at(-1)?.number}`
  const before =
    file === undefined ? [] : [() => sendFile(sending.api, place, file, about, context)]
  const question = async (): Promise<string> =>
    sending.sender.send(place, html, await keyboardOf(batch, buttons, context))
  return { messageId: await sendParts([...before, question], context), ...cut }
}

/** Makes it say what became of its questions; buttons that are of no use go (APPR-05). */
export async function updateBatch(
  { sender, now }: CardSending,
  place: Place,
  batch: BatchCard,
  messageId: string,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { html, buttons, cut } = compose(batch, now())
  await sender.edit(place, messageId, html, await keyboardOf(batch, buttons, context))
  return { messageId, ...cut }
}

/** APPR-16: what was not wholly shown cannot be approved; a file that went before the card has all that a line of it leaves out. */
function compose(batch: BatchCard, now: number) {
  const { html, isWhole } = batchHtml(batch, { now })
  const cut: { readonly isCut?: true } = isWhole ? {} : { isCut: true }
  return { html, buttons: batchButtons(batch, isWhole), cut }
}

/** Tokens are made for this very message. */
async function keyboardOf(
  { batchId }: BatchCard,
  buttons: readonly BatchButton[],
  context: DeliveryContext,
): Promise<{ readonly keyboard?: InlineKeyboardMarkup }> {
  if (buttons.length === 0) return {}
  const actions = buttons.map(({ action }) => action)
  const tokens = await context.mintBatchTokens(batchId, actions)
  const row = buttons.map(({ action, label, style }) => {
    const looks = style === undefined ? {} : { style }
    return { text: label, callback_data: tokens[action], ...looks }
  })
  return { keyboard: { inline_keyboard: [row] } }
}
