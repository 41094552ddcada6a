import type { DeliveryContext } from '../../../ports/chat.ts'
import type { Failed, Messenger, SendOptions } from './messenger.ts'

/** What sends one part and answers its message's id; or sends several at once, itself and those behind it. */
export type Part = () => Promise<string | SentTogether>

export interface SentTogether {
  readonly messageId: string
  /** How many parts it is. */
  readonly count: number
}

/**
 * Sends the parts that did not go yet, in order (CHAT-06), and answers the id of the last. Each is stored before the next
 * goes; the last is stored by whoever asked.
 */
export async function sendParts(parts: readonly Part[], context: DeliveryContext): Promise<string> {
  let last = context.sentParts.at(-1)
  let next = context.sentParts.length
  for (let send = parts[next]; send !== undefined; send = parts[next]) {
    const sent = await send()
    const { messageId, count } = typeof sent === 'string' ? { messageId: sent, count: 1 } : sent
    last = messageId
    next += count
    if (next < parts.length) await context.onPart(messageId, count)
  }
  if (last === undefined) throw new Error('a message without parts')
  return last
}

/** What is below the last part, and what holds for each. */
interface PartOptions {
  readonly below?: SendOptions
  readonly each?: SendOptions
}

/** Texts as parts, the buttons below the last; the first takes the place of the passing message, where there is one that can be changed. */
export function textParts<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  texts: readonly Drawn[],
  liveMessageId: string | undefined,
  { below = {}, each = {} }: PartOptions = {},
): Part[] {
  return texts.map((drawn, index) => async () => {
    const replaced = index === 0 ? liveMessageId : undefined
    const options = index === texts.length - 1 ? { ...each, ...below } : each
    const isThere = replaced !== undefined
    if (isThere && (await canReplace(messenger, place, replaced, drawn, options))) return replaced
    return messenger.send(place, drawn, options)
  })
}

/** It cannot be edited, or not yet, while a new message can be sent. */
function isNoEdit(failed: Failed): boolean {
  return failed.kind === 'refused' || (failed.kind === 'busy' && failed.isOfMethod === true)
}

async function canReplace<Drawn>(
  messenger: Messenger<Drawn>,
  place: string,
  messageId: string,
  drawn: Drawn,
  options: SendOptions,
): Promise<boolean> {
  try {
    await messenger.edit(place, messageId, drawn, options)
    return true
  } catch (error) {
    if (!isNoEdit(messenger.toDelivery(error))) throw error
    await messenger.remove(place, messageId)
    return false
  }
}
