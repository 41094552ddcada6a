import type { Api } from 'grammy'
import type { InlineKeyboardMarkup } from 'grammy/types'
import { z } from 'zod'
import { toApiSignal } from '../api.ts'
import { toPlain } from '../render/to-plain.ts'
import { type Place, threadOf } from './place.ts'
import { isUnchanged, isUnparsed } from './to-delivery.ts'

export interface SendOptions {
  readonly keyboard?: InlineKeyboardMarkup
  readonly signal?: AbortSignal
}

/** Sends and edits messages in HTML. Rejects with the errors of the API. */
export interface Sender {
  /** Answers the message's id. */
  send(place: Place, html: string, options?: SendOptions): Promise<string>
  /** Buttons that the options do not have are taken away. A message that reads so already is fine. */
  edit(place: Place, messageId: string, html: string, options?: SendOptions): Promise<void>
  /** Shows a text that is being written, in a private chat; it goes by itself, at the latest after 30 s. */
  draft(place: Place, draftId: number, html: string, options?: SendOptions): Promise<void>
  /** Takes a message away; never rejects. */
  remove(place: Place, messageId: string): Promise<void>
}

const sent = z.object({ message_id: z.int() })

export function createSender(api: Api): Sender {
  return {
    send: (place, html, options = {}) =>
      withPlainFallback(html, async (text, mode) => {
        const other = { ...threadOf(place), ...mode, ...common(options) }
        return idOf(await api.sendMessage(place.chatId, text, other, signalOf(options)))
      }),
    edit: (place, messageId, html, options = {}) =>
      withPlainFallback(html, async (text, mode) => {
        const other = { ...mode, ...common(options) }
        await api
          .editMessageText(place.chatId, Number(messageId), text, other, signalOf(options))
          .catch(ignoreUnchanged)
      }),
    draft: (place, draftId, html, options = {}) =>
      withPlainFallback(html, async (text, mode) => {
        const other = { ...threadOf(place), ...mode }
        await api.sendMessageDraft(place.chatId, draftId, text, other, signalOf(options))
      }),
    remove: async (place, messageId) => {
      await api.deleteMessage(place.chatId, Number(messageId)).catch(() => undefined)
    },
  }
}

/** The id of a message that the API says it sent. */
export function idOf(message: unknown): string {
  return String(sent.parse(message).message_id)
}

type ParseMode = { readonly parse_mode?: 'HTML' }

/** CHAT-05: markup that the API refuses is left out. */
async function withPlainFallback<Result>(
  html: string,
  call: (text: string, mode: ParseMode) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(html, { parse_mode: 'HTML' })
  } catch (error) {
    if (!isUnparsed(error)) throw error
    return call(toPlain(html), {})
  }
}

function common({ keyboard }: SendOptions) {
  const buttons = keyboard === undefined ? {} : { reply_markup: keyboard }
  return { link_preview_options: { is_disabled: true }, ...buttons }
}

function signalOf({ signal }: SendOptions) {
  return signal === undefined ? undefined : toApiSignal(signal)
}

function ignoreUnchanged(error: unknown): void {
  if (!isUnchanged(error)) throw error
}
