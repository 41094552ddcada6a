import type { DeliveryContext } from '../../../../ports/chat.ts'
import type { Place } from './place.ts'
import type { Sender, SendOptions } from './sender.ts'
import { toDelivery } from './to-delivery.ts'

/** What sends one part and answers its message's id. */
type Part = () => Promise<string>

/**
 * Sends the parts that did not go yet, in order (CHAT-06), and answers the id of the last. Each is stored before the next
 * goes; the last is stored by whoever asked.
 */
export async function sendParts(parts: readonly Part[], context: DeliveryContext): Promise<string> {
  let last = context.sentParts.at(-1)
  for (const [index, send] of parts.entries()) {
    if (index < context.sentParts.length) continue
    last = await send()
    if (index < parts.length - 1) await context.onPart(last)
  }
  if (last === undefined) throw new Error('a message without parts')
  return last
}

/** Texts as parts, the buttons below the last; the first takes the place of the passing message, where there is one that can be changed. */
export function textParts(
  sender: Sender,
  place: Place,
  texts: readonly string[],
  liveMessageId: string | undefined,
  below: SendOptions = {},
): Part[] {
  return texts.map((html, index) => async () => {
    const replaced = index === 0 ? liveMessageId : undefined
    const options = index === texts.length - 1 ? below : {}
    const isThere = replaced !== undefined
    if (isThere && (await canReplace(sender, place, replaced, html, options))) return replaced
    return sender.send(place, html, options)
  })
}

async function canReplace(
  sender: Sender,
  place: Place,
  messageId: string,
  html: string,
  options: SendOptions,
): Promise<boolean> {
  try {
    await sender.edit(place, messageId, html, options)
    return true
  } catch (error) {
    if (toDelivery(error).kind !== 'refused') throw error
    await sender.remove(place, messageId)
    return false
  }
}
