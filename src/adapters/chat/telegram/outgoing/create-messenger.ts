import { type Api, InputFile } from 'grammy'
import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types'
import type { Messenger, SendOptions, SentButton } from '../../outgoing/messenger.ts'
import { toApiSignal } from '../api.ts'
import { telegramCanvas } from '../render/telegram-canvas.ts'
import { createCopyButtons } from './create-copy-buttons.ts'
import { createDrafts } from './create-drafts.ts'
import { createEphemeralMessages } from './create-ephemeral-messages.ts'
import { createRichMessages } from './create-rich-messages.ts'
import { isPrivate, type Place, parsePlace, threadOf } from './place.ts'
import { isUnchanged, toDelivery } from './to-delivery.ts'
import { toMessageId } from './to-message-id.ts'
import { withPlainFallback } from './with-plain-fallback.ts'

/** Telegram, as messages in HTML go out to it (TG-05). */
export function createMessenger(api: Api): Messenger<string> {
  const drafts = createDrafts(api)
  const copying = createCopyButtons()
  const toOne = createEphemeralMessages()
  const rich = createRichMessages(api)
  return {
    title: 'Telegram',
    canvas: telegramCanvas,
    chatOf: (name) => {
      const place = parsePlace(name)
      return place === undefined
        ? undefined
        : { id: String(place.chatId), isPrivate: isPrivate(place) }
    },
    send: (name, html, given = {}) =>
      copying.use(given, (options) =>
        withPlainFallback(html, async (text, mode) => {
          const place = placeOf(name)
          const other = { ...threadOf(place), ...mode, ...common(options) }
          const signal = signalOf(options)
          return toOne.send(place, options.onlyFor, (more) =>
            api.sendMessage(place.chatId, text, { ...other, ...more }, signal),
          )
        }),
      ),
    sendFolded: (name, notice) => rich.send(placeOf(name), notice),
    edit: (name, messageId, html, given = {}) =>
      copying.use(given, (options) =>
        withPlainFallback(html, async (text, mode) => {
          const { chatId } = placeOf(name)
          const other = { ...mode, ...common(options) }
          await api
            .editMessageText(chatId, Number(messageId), text, other, signalOf(options))
            .catch(ignoreUnchanged)
        }),
      ),
    remove: async (name, messageId) => {
      await api.deleteMessage(placeOf(name).chatId, Number(messageId)).catch(() => undefined)
    },
    sendFile: async (name, { bytes, caption, name: fileName }) => {
      const place = placeOf(name)
      const document = new InputFile(bytes, fileName)
      return toMessageId(
        await api.sendDocument(place.chatId, document, { ...threadOf(place), caption }),
      )
    },
    showTyping: async (name, signal) => {
      const place = placeOf(name)
      await api.sendChatAction(place.chatId, 'typing', threadOf(place), toApiSignal(signal))
    },
    draft: (name, turnId, html, signal) => {
      const place = placeOf(name)
      return withPlainFallback(html, (text, mode) => drafts.show(place, turnId, text, mode, signal))
    },
    toDelivery,
  }
}

function placeOf(name: string): Place {
  const place = parsePlace(name)
  if (place === undefined) throw new Error('no place of Telegram')
  return place
}

function common(options: SendOptions) {
  const keyboard = toKeyboard(options)
  return {
    link_preview_options: { is_disabled: true },
    ...(keyboard === undefined ? {} : { reply_markup: keyboard }),
  }
}

function signalOf({ signal }: SendOptions) {
  return signal === undefined ? undefined : toApiSignal(signal)
}

function ignoreUnchanged(error: unknown): void {
  if (!isUnchanged(error)) throw error
}

/** The buttons below a message (TG-02); undefined: it has none. Servers that know no styles (before Bot API 9.4) leave them out. */
function toKeyboard({ buttons = [], copy }: SendOptions): InlineKeyboardMarkup | undefined {
  const rows: InlineKeyboardButton[][] = buttons.map((row) => row.map(toButton))
  if (copy !== undefined) rows.push([{ text: copy.label, copy_text: { text: copy.text } }])
  return rows.length === 0 ? undefined : { inline_keyboard: rows }
}

function toButton({ label, token, style }: SentButton): InlineKeyboardButton {
  return { text: label, callback_data: token, ...(style === undefined ? {} : { style }) }
}
