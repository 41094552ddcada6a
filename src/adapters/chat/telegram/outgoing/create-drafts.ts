import { type Api, GrammyError } from 'grammy'
import { turnNumber } from '../../../../domain/turn-number.ts'
import { toApiSignal } from '../api.ts'
import { type Address, isPrivate, threadOf } from './address.ts'
import { isUnparsed } from './to-delivery.ts'
import type { ParseMode } from './with-plain-fallback.ts'

export interface Drafts {
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
