import { type Api, GrammyError } from 'grammy'
import type { InputRichMessage } from 'grammy/types'
import type { FoldedNotice } from '../../outgoing/messenger.ts'
import { sizeOfBlocks, toRichBlocks } from '../render/to-rich-blocks.ts'
import { type Place, threadOf } from './place.ts'
import { toMessageId } from './to-message-id.ts'

export interface RichMessages {
  /** Answers the message's id; undefined: the server has no such messages, or does not take this one. */
  send(place: Place, notice: FoldedNotice): Promise<string | undefined>
}

/** Under https://core.telegram.org/bots/api#rich-message-limits: 32,768 characters and 500 blocks. */
const limit = { characters: 32_000, blocks: 400 }

/** TG-06: rich messages, where the server has them (Bot API 10.2, for blocks); whether it does is known once one was tried. */
export function createRichMessages(api: Api): RichMessages {
  let isOffered = true
  return {
    send: async (place, notice) => {
      const blocks = toRichBlocks(notice)
      const size = sizeOfBlocks(blocks)
      const fits = size.characters <= limit.characters && size.blocks <= limit.blocks
      if (!isOffered || !fits) return undefined
      // What is a command stands in the blocks: nothing is to be found in the texts.
      const message = { blocks, skip_entity_detection: true } as InputRichMessage
      try {
        const answer = await api.sendRichMessage(place.chatId, message, threadOf(place))
        return toMessageId(answer)
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (error.error_code === 404) isOffered = false
        return undefined
      }
    },
  }
}

/** Whoever asks says the same in HTML then, and hears what is wrong with the chat. */
function isRefusal(error: unknown): error is GrammyError {
  return error instanceof GrammyError && (error.error_code === 400 || error.error_code === 404)
}
