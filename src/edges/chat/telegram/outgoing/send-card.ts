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

/** The id of a message; of a card's the one that has its buttons. */
export interface SentMessage {
  readonly messageId: string
  /** APPR-16: there was no room for all of the card. */
  readonly isCut?: true
}

/** Sends a card, behind its file if it has one (APPR-02). */
export async function sendCard(
  sending: CardSending,
  place: Place,
  card: Card,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { file } = card
  const { html, buttons, cut } = compose(card, sending.now())
  const before = file === undefined ? [] : [() => sendFile(sending.api, place, card, file, context)]
  const question = async (): Promise<string> =>
    sending.sender.send(place, html, await keyboardOf(card, buttons, context))
  return { messageId: await sendParts([...before, question], context), ...cut }
}

/** Makes a card that was sent say what became of it; buttons that are of no use go (APPR-05). */
export async function updateCard(
  { sender, now }: CardSending,
  place: Place,
  card: Card,
  messageId: string,
  context: DeliveryContext,
): Promise<SentMessage> {
  const { html, buttons, cut } = compose(card, now())
  await sender.edit(place, messageId, html, await keyboardOf(card, buttons, context))
  return { messageId, ...cut }
}

interface Composed {
  readonly html: string
  readonly buttons: readonly CardButton[]
  readonly cut: { readonly isCut?: true }
}

/** APPR-16: what was not wholly shown cannot be approved; a file that went before the card has all of it. */
function compose(card: Card, now: number): Composed {
  const { html, isWhole } = cardHtml(card, { now })
  const buttons = cardButtons(card)
  if (isWhole || card.file !== undefined) return { html, buttons, cut: {} }
  const left = buttons.filter(({ action }) => action !== 'approve' && action !== 'always')
  const words = left.length < buttons.length ? onlyDeny : ''
  return { html: html + words, buttons: left, cut: { isCut: true } }
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
