import { type Api, GrammyError, InputFile } from 'grammy'
import type { InlineKeyboardButton, InlineKeyboardMarkup, InputRichMessage } from 'grammy/types'
import type { FoldedNotice, Messenger, SendOptions, SentButton } from '../../outgoing/messenger.ts'
import type { Canvas, Origin } from '../../render/canvas.ts'
import type { Marks } from '../../render/runs/run.ts'
import type { Size } from '../../render/runs/size.ts'
import { toApiSignal } from '../api.ts'
import { type Defused, defuse } from '../render/defuse.ts'
import { sharedTags, tagsOf, toHtml } from '../render/to-html.ts'
import { sizeOfBlocks, toRichBlocks } from '../render/to-rich-blocks.ts'
import { createDrafts } from './create-drafts.ts'
import { createEphemeralMessages } from './create-ephemeral-messages.ts'
import { isPrivate, type Place, parsePlace, threadOf } from './place.ts'
import { isUnchanged, toDelivery } from './to-delivery.ts'
import { toMessageId } from './to-message-id.ts'
import { withPlainFallback } from './with-plain-fallback.ts'

/**
 * Telegram takes 4,096 units after parsing, and shows at most 100 entities, those that it finds by itself (addresses,
 * hashtags) included. It takes 32 KiB of HTML, which no message within these two can reach.
 */
const messageLimit: Size = { units: 4_000, entities: 90 }

/** Leaves room in a message for the line that says what is being done. */
const liveLimit: Size = { units: 3_500, entities: 80 }

const defused: Readonly<Record<Origin, Defused>> = {
  answer: 'commands and mentions',
  notice: 'all but our commands',
  card: 'commands and mentions',
}

/** So many stretches of code a line of a card, that Telegram shows all of them. */
const mostInCard = 2

/** Marked text as messages in HTML parse mode. */
export const telegramCanvas: Canvas<string> = {
  limit: messageLimit,
  liveLimit,
  sizeOf,
  defuse: (runs, origin) =>
    defuse(runs, defused[origin], origin === 'card' ? mostInCard : undefined),
  draw: toHtml,
}

/** Under https://core.telegram.org/bots/api#rich-message-limits: 32,768 characters and 500 blocks. */
const limit = { characters: 32_000, blocks: 400 }

/** `text` of https://core.telegram.org/bots/api#copytextbutton; counted so that no way of counting finds more. */
const longestText = 256

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

interface CopyButtons {
  /** Makes the call with the button that copies if it may be there, and without it where the server does not take it. */
  use<Result>(
    options: SendOptions,
    call: (options: SendOptions) => Promise<Result>,
  ): Promise<Result>
}

/** TG-06: `copy_text`, where the server has it (Bot API 7.11); whether it does is known once one was refused. */
function createCopyButtons(): CopyButtons {
  let isOffered = true
  return {
    use: async (options, call) => {
      const { copy, ...others } = options
      if (copy === undefined || !isOffered || copy.text.length > longestText) return call(others)
      try {
        return await call(options)
      } catch (error) {
        if (!isForTheButton(error)) throw error
        if (isUnknownButton(error)) isOffered = false
        return call(others)
      }
    },
  }
}

function isForTheButton(error: unknown): error is GrammyError {
  return (
    error instanceof GrammyError && error.error_code === 400 && /button/i.test(error.description)
  )
}

/** What a server says of a button without a field that it knows. */
function isUnknownButton({ description }: GrammyError): boolean {
  return /text buttons are unallowed/i.test(description)
}

interface RichMessages {
  /** Answers the message's id; undefined: the server has no such messages, or does not take this one. */
  send(place: Place, notice: FoldedNotice): Promise<string | undefined>
}

/** TG-06: rich messages, where the server has them (Bot API 10.2, for blocks); whether it does is known once one was tried. */
function createRichMessages(api: Api): RichMessages {
  let isOffered = true
  return {
    send: async (place, notice) => {
      const blocks = toRichBlocks(notice)
      const size = sizeOfBlocks(blocks)
      const fits = size.characters <= limit.characters && size.blocks <= limit.blocks
      if (!isOffered || !fits) return undefined
      // What is a command stands in the blocks: nothing is to be found in the texts.
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

/** Whoever asks says the same in HTML then, and hears what is wrong with the chat. */
function isRefusal(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 400 || error.error_code === 404)
}

/** Units after parsing, and those that links would take if the message had to be sent as plain text. */
function sizeOf(text: string, marks: Marks, neighbour: Marks | undefined): Size {
  const tags = tagsOf(marks)
  const open = neighbour === undefined ? 0 : sharedTags(tagsOf(neighbour), tags)
  const isNewLink = marks.href !== undefined && marks.href !== neighbour?.href
  return {
    units: text.length + (isNewLink ? marks.href.length + 3 : 0),
    entities: tags.length - open,
  }
}
