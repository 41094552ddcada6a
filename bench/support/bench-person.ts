import type { User } from 'grammy/types'
import type { ChatHandle } from '../../test/support/telegram/chat-handle.ts'
import type { SeenMessage } from '../../test/support/telegram/seen.ts'

/** Somebody with a private chat. Times are of `performance.now()`. */
export interface BenchPerson {
  readonly user: User
  readonly chat: ChatHandle
  /** Writes, and waits for the next message of the bot that satisfies. */
  ask(text: string, wanted: (message: SeenMessage) => boolean): Promise<Seen>
  /** Taps, and waits for the next message that satisfies, edits of the card left out. */
  tap(messageId: number, button: string, wanted: (message: SeenMessage) => boolean): Promise<Seen>
}

export interface Seen {
  readonly message: SeenMessage
  readonly afterMs: number
}

export function personOf(user: User, chat: ChatHandle): BenchPerson {
  const next = async (
    act: () => void,
    wanted: (message: SeenMessage) => boolean,
  ): Promise<Seen> => {
    const last = chat.messages().at(-1)?.id ?? 0
    const start = performance.now()
    act()
    const isNext = (message: SeenMessage): boolean =>
      message.id > last && message.from.kind === 'bot' && wanted(message)
    const message = await chat.waitForMessage(isNext, { timeoutMs: 60_000 })
    return { message, afterMs: performance.now() - start }
  }
  return {
    user,
    chat,
    ask: (text, wanted) => next(() => chat.send(user, text), wanted),
    tap: (messageId, button, wanted) => next(() => chat.tap(user, messageId, button), wanted),
  }
}
