/** Address of a message on Telegram: a chat, or a topic in one. */
export interface Address {
  readonly chatId: number
  readonly threadId?: number
}

const addressForm = /^(-?[1-9]\d{0,15})(?:\/([1-9]\d{0,9}))?$/

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
