import { type Api, GrammyError } from 'grammy'
import { turnNumber } from '../../../../domain/turn-number.ts'
import { toApiSignal } from '../api.ts'
import { isPrivate, type Place, threadOf } from './place.ts'
import { isUnparsed } from './to-delivery.ts'
import type { ParseMode } from './with-plain-fallback.ts'

export interface Drafts {
  /** Shows a text that is being written, in a private chat; it goes by itself, at the latest after 30 s. False: there are none here. */
  show(
    place: Place,
    turnId: string,
    text: string,
    mode: ParseMode,
    signal: AbortSignal,
  ): Promise<boolean>
}

/** TG-05: drafts, where the server has them; whether it does is known once one was tried. */
export function createDrafts(api: Api): Drafts {
  let isOffered = true
  return {
    show: async (place, turnId, text, mode, signal) => {
      if (!isOffered || !isPrivate(place)) return false
      // LOOP-14: the person gets a Stop button (Bot API 10.3); older servers leave it out.
      const other = { ...threadOf(place), ...mode, can_stop: true }
      try {
        const id = turnNumber(turnId)
        await api.sendMessageDraft(place.chatId, id, text, other, toApiSignal(signal))
        return true
      } catch (error) {
        if (isUnparsed(error) || !isForWantOfDrafts(error)) throw error
        if (isUnknownMethod(error)) isOffered = false
        return false
      }
    },
  }
}

function isForWantOfDrafts(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 404 || error.error_code === 400)
}

function isUnknownMethod({ error_code, description }: GrammyError): boolean {
  return error_code === 404 || /method/i.test(description)
}
