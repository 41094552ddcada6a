import { GrammyError } from 'grammy'
import type { EphemeralMessageParameters } from 'grammy/types'
import { z } from 'zod'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import { isPrivate, type Place } from './place.ts'
import { isUnparsed } from './to-delivery.ts'
import { toMessageId } from './to-message-id.ts'

type Parameters = { readonly ephemeral_message_parameters?: EphemeralMessageParameters }

export interface EphemeralMessages {
  /** Sends by the call, to this caller alone where that can be, else to everybody; answers an id that tells it from other messages. */
  send(
    place: Place,
    onlyFor: string | undefined,
    call: (other: Parameters) => Promise<unknown>,
  ): Promise<string>
}

/** Bots become administrators, and cease to be. */
const rememberedMs = 600_000
const rememberedChats = 1_000
const forOne = z.object({ ephemeral_message_id: z.int() })

/**
 * TG-06: messages that one member of a group sees, where the server has them (Bot API 10.3) and the bot may send them there: as
 * an administrator (https://core.telegram.org/bots/features#ephemeral-messages). They need not arrive, so that nothing goes this
 * way that must, nor what others may not read: a server that does not know the field shows it to all of them.
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
        const seenByOne = forOne.safeParse(answer)
        if (seenByOne.success) return `only-${seenByOne.data.ephemeral_message_id}`
        isOffered = false
        return toMessageId(answer)
      } catch (error) {
        if (!isRefusal(error)) throw error
        refusedUntil.set(chatId, now() + rememberedMs)
        dropOldest(refusedUntil, rememberedChats)
        return toMessageId(await call({}))
      }
    },
  }
}

/** The person of a caller id. */
function receiverOf(callerId: string): number | undefined {
  const found = /^telegram:([1-9]\d{0,15})$/.exec(callerId)
  return found === null ? undefined : Number(found[1])
}

/** If it is the chat's fault, sending to everybody there fails too and says so. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof GrammyError) || isUnparsed(error)) return false
  return error.error_code === 400 || error.error_code === 403
}
