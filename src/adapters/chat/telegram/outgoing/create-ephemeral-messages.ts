import { GrammyError } from 'grammy'
import type { EphemeralMessageParameters } from 'grammy/types'
import { z } from 'zod'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import { toMessageId } from '../api.ts'
import { type Address, isPrivate } from './create-drafts.ts'
import { isUnparsed } from './to-delivery.ts'

type Parameters = { readonly ephemeral_message_parameters?: EphemeralMessageParameters }

export interface EphemeralMessages {
  /**
   * Sends by `call`, visible to one caller only if possible, otherwise to everyone; returns the id of the message, which is
   * unique.
   */
  send(
    place: Address,
    onlyFor: string | undefined,
    call: (other: Parameters) => Promise<unknown>,
  ): Promise<string>
}

/** Time for which a chat counts as not supporting them: bots may become administrators. */
const refusalMs = 600_000
const maxChats = 1_000
const ephemeralMessage = z.object({ ephemeral_message_id: z.int() })

/**
 * Messages in a group that only one member sees (TG-06), if the server supports them (Bot API 10.3) and the bot is an
 * administrator there (https://core.telegram.org/bots/features#ephemeral-messages). Delivery is not guaranteed, and a server
 * that does not know the field shows the message to everyone: use it neither for essential nor for secret content.
 */
export function createEphemeralMessages(
  now: () => number = () => performance.now(),
): EphemeralMessages {
  let isOffered = true
  const refusedUntil = new Map<number, number>()
  return {
    send: async (place, onlyFor, call) => {
      const { chatId } = place
      const receiver = onlyFor === undefined ? undefined : receiverOf(onlyFor)
      const isRefused = (refusedUntil.get(chatId) ?? 0) > now()
      if (receiver === undefined || !isOffered || isPrivate(place) || isRefused)
        return toMessageId(await call({}))
      try {
        const answer = await call({ ephemeral_message_parameters: { receiver_user_id: receiver } })
        const ephemeral = ephemeralMessage.safeParse(answer)
        if (ephemeral.success) return `only-${ephemeral.data.ephemeral_message_id}`
        isOffered = false
        return toMessageId(answer)
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusedUntil.set(chatId, now() + refusalMs)
        dropOldest(refusedUntil, maxChats)
        return toMessageId(await call({}))
      }
    },
  }
}

/** User id of a caller id. */
function receiverOf(callerId: string): number | undefined {
  const found = /^telegram:([1-9]\d{0,15})$/.exec(callerId)
  return found === null ? undefined : Number(found[1])
}

/** Whether the request was refused; if the chat itself is the reason, sending to everyone will fail as well and report it. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GrammyError) || isUnparsed(error)) return false
  return error.error_code === 400 || error.error_code === 403
}
