import type { DeliveryContext } from '../../../ports/chat.ts'
import type { Failed, SendOptions, Target } from './messenger.ts'

/** Sends one part and returns its message id, or sends several parts at once. */
export type Part = () => Promise<string | SentTogether>

export interface SentTogether {
  readonly messageId: string
  /** Number of parts in the message. */
  readonly count: number
}

/**
 * Sends the remaining parts in order and returns the id of the last (CHAT-06). Each is recorded before the next is sent; the
 * caller records the last.
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

/** Options for the last part, and for each part. */
interface PartOptions {
  readonly below?: SendOptions
  readonly each?: SendOptions
}

/**
 * Makes parts of texts, with the buttons below the last. The first part replaces the transient message, if it exists and can be
 * edited.
 */
export function textParts<Drawn>(
  to: Target<Drawn>,
  texts: readonly Drawn[],
  liveMessageId: string | undefined,
  { below = {}, each = {} }: PartOptions = {},
): Part[] {
  return texts.map((drawn, index) => async () => {
    const replaced = index === 0 ? liveMessageId : undefined
    const options = index === texts.length - 1 ? { ...each, ...below } : each
    const isThere = replaced !== undefined
    if (isThere && (await tryReplace(to, replaced, drawn, options))) return replaced
    return to.messenger.send(to.place, drawn, options)
  })
}

/** Whether a message cannot be edited, or not yet, although a new one can be sent. */
function mustSendNew(failed: Failed): boolean {
  return failed.kind === 'refused' || (failed.kind === 'busy' && failed.isOfMethod === true)
}

async function tryReplace<Drawn>(
  { messenger, place }: Target<Drawn>,
  messageId: string,
  drawn: Drawn,
  options: SendOptions,
): Promise<boolean> {
  try {
    await messenger.edit(place, messageId, drawn, options)
    return true
  } catch (error) {
    if (!mustSendNew(messenger.toDelivery(error))) throw error
    await messenger.remove(place, messageId)
    return false
  }
}
