/** Where a message goes on Telegram: a chat, or a topic of one. */
export interface Place {
  readonly chatId: number
  readonly threadId?: number
}

const form = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,9}))?$/

/** Reads `<chat>` or `<chat>/<topic>`; undefined: it is neither. */
export function parsePlace(place: string): Place | undefined {
  const found = form.exec(place)
  if (found === null) return undefined
  const chatId = Number(found[1])
  if (!Number.isSafeInteger(chatId)) return undefined
  return found[2] === undefined ? { chatId } : { chatId, threadId: Number(found[2]) }
}

/** Whether the chat is one with a single person; groups have negative ids. */
export function isPrivate({ chatId }: Place): boolean {
  return chatId > 0
}

/** The topic as the methods that send take it. */
export function threadOf({ threadId }: Place): { readonly message_thread_id?: number } {
  return threadId === undefined ? {} : { message_thread_id: threadId }
}
