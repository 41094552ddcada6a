import { type Api, GrammyError } from 'grammy'
import { turnNumber } from '../../../../domain/turn.ts'
import { toApiSignal } from '../api.ts'
import { toPlain } from '../render/to-plain.ts'
import { isUnparsed } from './to-delivery.ts'

const addressForm = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,9}))?$/

interface Drafts {
  /** Shows unfinished text in a private chat; it disappears by itself within 30 s. False if drafts are not available. */
  show(
    place: Address,
    turnId: string,
    text: string,
    mode: ParseMode,
    signal: AbortSignal,
  ): Promise<boolean>
}

/** Creates access to drafts (TG-05); whether the server supports them is learned from the first attempt. */
export function createDrafts(api: Api): Drafts {
  let isOffered = true
  return {
    show: async (place, turnId, text, mode, signal) => {
      if (!isOffered || !isPrivate(place)) return false
      // Adds a Stop button (Bot API 10.3, LOOP-14); older servers ignore it.
      const other = { ...threadOf(place), ...mode, can_stop: true }
      try {
        const id = turnNumber(turnId)
        await api.sendMessageDraft(place.chatId, id, text, other, toApiSignal(signal))
        return true
      } catch (error) {
        if (isUnparsed(error) || !mayBeUnsupported(error)) throw error
        if (isUnknownMethod(error)) isOffered = false
        return false
      }
    },
  }
}

function mayBeUnsupported(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 404 || error.error_code === 400)
}

function isUnknownMethod({ error_code, description }: GrammyError): boolean {
  return error_code === 404 || /method/i.test(description)
}

/** Parse mode of a text: HTML, or none. */
type ParseMode = { readonly parse_mode?: 'HTML' }

/** Calls with HTML, and again with plain text if the API refuses to parse it (CHAT-05). */
export async function withPlainFallback<Result>(
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

/** Address of a message on Telegram: a chat, or a topic in one. */
export interface Address {
  readonly chatId: number
  readonly threadId?: number
}

/** Parses `<chat>` or `<chat>/<topic>`; undefined if it is neither. */
export function parseAddress(place: string): Address | undefined {
  const found = addressForm.exec(place)
  if (found === null) return undefined
  const chatId = Number(found[1])
  if (!Number.isSafeInteger(chatId)) return undefined
  return found[2] === undefined ? { chatId } : { chatId, threadId: Number(found[2]) }
}

/** Whether the chat is with a single person; groups have negative ids. */
export function isPrivate({ chatId }: Address): boolean {
  return chatId > 0
}

/** The topic, as a parameter of methods that send. */
export function threadOf({ threadId }: Address): { readonly message_thread_id?: number } {
  return threadId === undefined ? {} : { message_thread_id: threadId }
}
