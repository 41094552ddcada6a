import type { Api } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import type { DeliveryContext, Outgoing, RevokeButton } from '../../../../ports/chat.ts'
import { noticeHtml } from '../render/to-telegram-html.ts'
import type { Place } from './place.ts'
import type { SentMessage } from './send-card.ts'
import { sendFile } from './send-file.ts'
import { sendParts, textParts } from './send-parts.ts'
import type { Sender } from './sender.ts'

const buttonsInRow = 4
/** Telegram shows a hundred at most. */
const mostButtons = 40

interface NoticeSending {
  readonly api: Api
  readonly sender: Sender
}

/** Sends words of the product, with their buttons below the last part and their file behind it; or makes one that was sent read so. */
export async function sendNotice(
  { api, sender }: NoticeSending,
  place: Place,
  notice: Extract<Outgoing, { kind: 'notice' }>,
  context: DeliveryContext,
): Promise<SentMessage> {
  const texts = noticeHtml(notice.text, notice.quoted)
  const below = await keyboardOf(notice.revokes?.slice(0, mostButtons) ?? [], context)
  const { editOf, liveMessageId } = context
  if (editOf === undefined) {
    const parts = textParts(sender, place, texts, liveMessageId, below)
    const { file } = notice
    const behind = file === undefined ? [] : [() => sendFile(api, place, file, file.about, context)]
    return { messageId: await sendParts([...parts, ...behind], context) }
  }
  // The buttons are below the last of several messages.
  await sender.edit(place, editOf, texts.at(-1) ?? '', below)
  return { messageId: editOf }
}

async function keyboardOf(
  buttons: readonly RevokeButton[],
  context: DeliveryContext,
): Promise<{ readonly keyboard?: InlineKeyboardMarkup }> {
  if (buttons.length === 0) return {}
  const tokens = await context.mintRevokeTokens(buttons.map(({ grant }) => grant))
  const all = buttons.map(({ label }, index) => ({
    text: `Revoke ${label}`,
    callback_data: tokens[index] ?? '',
  }))
  const rows = Array.from({ length: Math.ceil(all.length / buttonsInRow) }, (_, row) =>
    all.slice(row * buttonsInRow, (row + 1) * buttonsInRow),
  )
  return { keyboard: { inline_keyboard: rows } }
}
