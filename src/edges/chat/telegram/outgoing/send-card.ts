import type { Api } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { Card } from '../../../../domain/approval.ts'
import type { DeliveryContext } from '../../../../ports/chat.ts'
import { type CardButton, cardHtml, cardRows } from '../render/card-html.ts'
import type { Place } from './place.ts'
import { sendFile } from './send-file.ts'
import { sendParts } from './send-parts.ts'
import type { Sender } from './sender.ts'

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
  const { html, rows, cut } = compose(card, sending.now())
  const before =
    file === undefined
      ? []
      : [() => sendFile(sending.api, place, file, `question ${card.number}`, context)]
  const question = async (): Promise<string> =>
    sending.sender.send(place, html, await keyboardOf(card, rows, context))
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
  const { html, rows, cut } = compose(card, now())
  await sender.edit(place, messageId, html, await keyboardOf(card, rows, context))
  return { messageId, ...cut }
}

type Rows = readonly (readonly CardButton[])[]

interface Composed {
  readonly html: string
  readonly rows: Rows
  readonly cut: { readonly isCut?: true }
}

/** APPR-16: what was not wholly shown cannot be approved; a file that went before the card has all of it. */
function compose(card: Card, now: number): Composed {
  const { html, isWhole } = cardHtml(card, { now })
  const rows = cardRows(card)
  if (isWhole || card.file !== undefined) return { html, rows, cut: {} }
  const left = rows
    .map((row) => row.filter(({ action }) => action === 'deny' || action === 'just_deny'))
    .filter((row) => row.length > 0)
  const words = left.flat().length < rows.flat().length ? onlyDeny : ''
  return { html: html + words, rows: left, cut: { isCut: true } }
}

const onlyDeny = '\n\n⛔ Not all of it can be shown here: it can only be denied here.'

/** Tokens are made for this very message. */
async function keyboardOf(
  card: Card,
  rows: Rows,
  context: DeliveryContext,
): Promise<{ readonly keyboard?: InlineKeyboardMarkup }> {
  if (rows.length === 0) return {}
  const actions = rows.flat().map(({ action }) => action)
  const tokens = await context.mintTokens(card.approvalId, actions)
  const keyboard = rows.map((row) =>
    row.map(({ action, label, style }) => {
      const looks = style === undefined ? {} : { style }
      return { text: label, callback_data: tokens[action], ...looks }
    }),
  )
  return { keyboard: { inline_keyboard: keyboard } }
}
