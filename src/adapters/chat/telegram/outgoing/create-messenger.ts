import { type Api, GrammyError, InputFile } from 'grammy'
import type { InlineKeyboardButton, InlineKeyboardMarkup, InputRichMessage } from 'grammy/types'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { FoldedNotice, Messenger, SendOptions, SentButton } from '../../outgoing/messenger.ts'
import type { Canvas, Origin } from '../../render/canvas.ts'
import type { Marks } from '../../render/runs/run.ts'
import type { Size } from '../../render/runs/size.ts'
import { toApiSignal, toMessageId } from '../api.ts'
import { type DefuseMode, makeInert } from '../render/defuse.ts'
import { sharedTags, tagsOf, toHtml } from '../render/to-html.ts'
import { sizeOfBlocks, toRichBlocks } from '../render/to-rich-blocks.ts'
import {
  type Address,
  createDrafts,
  isPrivate,
  parseAddress,
  threadOf,
  withPlainFallback,
} from './create-drafts.ts'
import { createEphemeralMessages } from './create-ephemeral-messages.ts'
import { isUnchanged, toDelivery } from './to-delivery.ts'

/**
 * Telegram accepts 4,096 units after parsing and shows at most 100 entities, including those it detects itself (URLs,
 * hashtags). Its limit of 32 KiB of HTML cannot be reached within these two.
 */
const messageLimit: Size = { units: 4_000, entities: 90 }

/** Leaves room for the line with the current activity. */
const liveLimit: Size = { units: 3_500, entities: 80 }

const defuseModes: Readonly<Record<Origin, DefuseMode>> = {
  answer: 'commands and mentions',
  notice: 'all but our commands',
  card: 'commands and mentions',
}

/** Maximum stretches of code in a line of a card, so that Telegram shows all of them. */
const maxCodePerCardLine = 2

/** Renders marked text for the HTML parse mode. */
export const createTelegramCanvas = (messages: Messages): Canvas<string> => ({
  messages,
  limit: messageLimit,
  liveLimit,
  sizeOf,
  folds: true,
  labelLength: 20,
  makeInert: (runs, origin) =>
    makeInert(runs, defuseModes[origin], origin === 'card' ? maxCodePerCardLine : undefined),
  draw: (runs) => toHtml(runs),
})

/** Below the limits of https://core.telegram.org/bots/api#rich-message-limits: 32,768 characters and 500 blocks. */
const richLimit = { characters: 32_000, blocks: 400 }

/** Limit of `text` in https://core.telegram.org/bots/api#copytextbutton, in UTF-16 units, the strictest way of counting. */
const maxCopyText = 256

/** Sends messages to Telegram as HTML (TG-05). */
export function createMessenger(api: Api, messages: Messages): Messenger<string> {
  const drafts = createDrafts(api)
  const copyButtons = createCopyButtons()
  const ephemeralMessages = createEphemeralMessages()
  const richMessages = createRichMessages(api)
  return {
    title: 'Telegram',
    canvas: createTelegramCanvas(messages),
    chatOf: (name) => {
      const place = parseAddress(name)
      return place === undefined
        ? undefined
        : { id: String(place.chatId), isPrivate: isPrivate(place) }
    },
    send: (name, html, given = {}) =>
      copyButtons.use(given, (options) =>
        withPlainFallback(html, async (text, mode) => {
          const place = toAddress(name)
          const other = { ...threadOf(place), ...mode, ...commonParameters(options) }
          const signal = signalOf(options)
          return ephemeralMessages.send(place, options.onlyFor, (more) =>
            api.sendMessage(place.chatId, text, { ...other, ...more }, signal),
          )
        }),
      ),
    sendFolded: (name, notice) => richMessages.send(toAddress(name), notice),
    edit: (name, messageId, html, given = {}) =>
      copyButtons.use(given, (options) =>
        withPlainFallback(html, async (text, mode) => {
          const { chatId } = toAddress(name)
          const other = { ...mode, ...commonParameters(options) }
          await api
            .editMessageText(chatId, Number(messageId), text, other, signalOf(options))
            .catch(ignoreUnchanged)
        }),
      ),
    remove: async (name, messageId) => {
      await api.deleteMessage(toAddress(name).chatId, Number(messageId)).catch(() => undefined)
    },
    sendFile: async (name, { bytes, caption, name: fileName }) => {
      const place = toAddress(name)
      const document = new InputFile(bytes, fileName)
      return toMessageId(
        await api.sendDocument(place.chatId, document, { ...threadOf(place), caption }),
      )
    },
    showTyping: async (name, signal) => {
      const place = toAddress(name)
      await api.sendChatAction(place.chatId, 'typing', threadOf(place), toApiSignal(signal))
    },
    draft: (name, turnId, html, signal) => {
      const place = toAddress(name)
      return withPlainFallback(html, (text, mode) => drafts.show(place, turnId, text, mode, signal))
    },
    toDelivery,
  }
}

function toAddress(name: string): Address {
  const place = parseAddress(name)
  if (place === undefined) throw new Error('no place of Telegram')
  return place
}

function commonParameters(options: SendOptions) {
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

/** Keyboard of a message (TG-02); undefined if it has none. Servers before Bot API 9.4 ignore styles. */
function toKeyboard({ buttons = [], copy }: SendOptions): InlineKeyboardMarkup | undefined {
  const rows: InlineKeyboardButton[][] = buttons.map((row) => row.map(toButton))
  if (copy !== undefined) {
    const button: InlineKeyboardButton = { text: copy.label, copy_text: { text: copy.text } }
    const [, second] = rows
    if (second === undefined) rows.push([button])
    else second.splice(1, 0, button)
  }
  return rows.length === 0 ? undefined : { inline_keyboard: rows }
}

function toButton({ label, token, style }: SentButton): InlineKeyboardButton {
  return { text: label, callback_data: token, ...(style === undefined ? {} : { style }) }
}

interface CopyButtons {
  /** Calls with the copy button if allowed, and without it if the server refuses it. */
  use<Result>(
    options: SendOptions,
    call: (options: SendOptions) => Promise<Result>,
  ): Promise<Result>
}

/** `copy_text` buttons (Bot API 7.11, TG-06); whether the server supports them is learned from the first refusal. */
function createCopyButtons(): CopyButtons {
  let isOffered = true
  return {
    use: async (options, call) => {
      const { copy, ...others } = options
      if (copy === undefined || !isOffered || copy.text.length > maxCopyText) return call(others)
      try {
        return await call(options)
      } catch (error) {
        if (!isButtonRefusal(error)) throw error
        if (isUnknownButton(error)) isOffered = false
        return call(others)
      }
    },
  }
}

function isButtonRefusal(error: unknown): error is GrammyError {
  return (
    error instanceof GrammyError && error.error_code === 400 && /button/i.test(error.description)
  )
}

/** The server's error for a button without any field it knows. */
function isUnknownButton({ description }: GrammyError): boolean {
  return /text buttons are unallowed/i.test(description)
}

interface RichMessages {
  /** Returns the message id; undefined if the server does not support such messages or refuses this one. */
  send(place: Address, notice: FoldedNotice): Promise<string | undefined>
}

/** Rich messages (Bot API 10.2 for blocks, TG-06); whether the server supports them is learned from the first attempt. */
function createRichMessages(api: Api): RichMessages {
  let isOffered = true
  return {
    send: async (place, notice) => {
      const blocks = toRichBlocks(notice)
      const size = sizeOfBlocks(blocks)
      const fits = size.characters <= richLimit.characters && size.blocks <= richLimit.blocks
      if (!isOffered || !fits) return undefined
      // Commands are marked in the blocks, so detection in the text is not needed.
      const message = { blocks, skip_entity_detection: true } as InputRichMessage
      try {
        const answer = await api.sendRichMessage(place.chatId, message, threadOf(place))
        return toMessageId(answer)
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (error.error_code === 404) isOffered = false
        return undefined
      }
    },
  }
}

/** The caller then sends the notice as HTML, which reports problems of the chat itself. */
function isRefusal(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 400 || error.error_code === 404)
}

/** Units after parsing, plus those that links need if the message has to be sent as plain text. */
function sizeOf(text: string, marks: Marks, neighbour: Marks | undefined): Size {
  const tags = tagsOf(marks)
  const open = neighbour === undefined ? 0 : sharedTags(tagsOf(neighbour), tags)
  const isNewLink = marks.href !== undefined && marks.href !== neighbour?.href
  return {
    units: text.length + (isNewLink ? marks.href.length + 3 : 0),
    entities: tags.length - open,
  }
}
