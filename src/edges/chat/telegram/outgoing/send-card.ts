import { type Api, InputFile } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Card, CardFile } from '../../../../domain/approval.ts'
import type { DeliveryContext } from '../../../../ports/chat.ts'
import { sha256 } from '../../../../util/sha256.ts'
import { type CardButton, cardButtons, cardHtml } from '../render/card-html.ts'
import { type Place, threadOf } from './place.ts'
import { sendParts } from './send-parts.ts'
import { idOf, type Sender } from './sender.ts'

export interface CardSending {
  readonly api: Api
  readonly sender: Sender
  readonly now: () => number
}

/** Sends a card, behind its file if it has one (APPR-02); answers the id of the card's own message. */
export function sendCard(
  sending: CardSending,
  place: Place,
  card: Card,
  context: DeliveryContext,
): Promise<string> {
  const { file } = card
  const before = file === undefined ? [] : [() => sendFile(sending.api, place, card, file, context)]
  return sendParts([...before, () => sendQuestion(sending, place, card, context)], context)
}

/** Makes a card that was sent say what became of it; buttons that are of no use go (APPR-05). */
export async function updateCard(
  { sender, now }: CardSending,
  place: Place,
  card: Card,
  messageId: string,
  context: DeliveryContext,
): Promise<void> {
  const { html, buttons } = compose(card, now())
  await sender.edit(place, messageId, html, await keyboardOf(card, buttons, context))
}

async function sendQuestion(
  { sender, now }: CardSending,
  place: Place,
  card: Card,
  context: DeliveryContext,
): Promise<string> {
  const { html, buttons } = compose(card, now())
  return sender.send(place, html, await keyboardOf(card, buttons, context))
}

/** APPR-16: what was not wholly shown cannot be approved. */
function compose(card: Card, now: number) {
  const { html, isWhole } = cardHtml(card, { now })
  const buttons = cardButtons(card)
  const { tooLarge = false } = card
  if (isWhole && !tooLarge) return { html, buttons }
  const left = buttons.filter(({ action }) => action !== 'approve' && action !== 'always')
  const isCut = left.length < buttons.length && !tooLarge
  return { html: isCut ? html + onlyDeny : html, buttons: left }
}

const onlyDeny = '\n\n⛔ Not all of it can be shown here: it can only be denied here.'

/** Tokens are made for this very message. */
async function keyboardOf(
  card: Card,
  buttons: readonly CardButton[],
  context: DeliveryContext,
): Promise<{ readonly keyboard?: InlineKeyboardMarkup }> {
  if (buttons.length === 0) return {}
  const actions = buttons.map(({ action }) => action)
  const tokens = await context.mintTokens(card.approvalId, actions)
  const row = buttons.map(({ action, label, style }) => {
    const looks = style === undefined ? {} : { style }
    return { text: label, callback_data: tokens[action], ...looks }
  })
  return { keyboard: { inline_keyboard: [row] } }
}

async function sendFile(
  api: Api,
  place: Place,
  card: Card,
  file: CardFile,
  context: DeliveryContext,
): Promise<string> {
  const bytes = await context.readAttachment(file.id)
  if (sha256(bytes) !== file.sha256) throw new Error('the file of a card is not what the card says')
  const document = new InputFile(bytes, plainName(file.name))
  const caption = `All of question ${card.number}: ${file.bytes} bytes, ${file.lines} lines.\nSHA-256 ${file.sha256}`
  return idOf(await api.sendDocument(place.chatId, document, { ...threadOf(place), caption }))
}

/** grammY writes the name into a header as it is. */
function plainName(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(-100)
  return plain === '' ? 'file.txt' : plain
}
