import type { DeliveryContext } from '../../../ports/chat.ts'
import type { Messenger } from './messenger.ts'

/** A messenger that answers whoever wrote a command where we are not, by the way that came with it; buttons do not go that way. */
export function withReplyPath<Drawn>(
  messenger: Messenger<Drawn>,
  { replyPath }: DeliveryContext,
): Messenger<Drawn> {
  const { sendBack } = messenger
  if (sendBack === undefined || replyPath === undefined) return messenger
  return {
    ...messenger,
    send: async (place, drawn, options) => {
      try {
        return await messenger.send(place, drawn, options)
      } catch (error) {
        if (messenger.toDelivery(error).kind !== 'refused') throw error
        const path = (options?.buttons ?? []).length === 0 ? await replyPath() : undefined
        const id = path === undefined ? undefined : await sendBack(place, path, drawn, error)
        if (id === undefined) throw error
        return id
      }
    },
  }
}
