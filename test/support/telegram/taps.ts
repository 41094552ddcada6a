import type { CallbackQuery, User } from 'grammy/types'
import type { BotState } from './bots.ts'
import type { CallbackAnswer, CallbackState } from './callback-queries.ts'
import type { ChatState } from './chats.ts'
import { type StoredMessage, toApiMessage } from './messages.ts'
import type { WaitOptions } from './waiting.ts'
import type { World } from './world.ts'

/** A button that somebody tapped. */
export interface Tap {
  /** Of the callback query. */
  readonly id: string
  /** The answer, if there is one already. */
  readonly answer: CallbackAnswer | undefined
  /** The answer when it comes; fails after 30 seconds. */
  readonly answered: Promise<CallbackAnswer>
  waitForAnswer(options?: WaitOptions): Promise<CallbackAnswer>
}

/** How the update names the message: as it is, as one that the bot cannot see any more, or not at all. */
export type TapMessage = 'accessible' | 'inaccessible' | 'absent'

/** The message's button, by its label (or a part of it that no other has) or by its place. */
export function dataOfButton(message: StoredMessage, button: string | number): string {
  const shown = (message.keyboard ?? []).flat()
  const found = typeof button === 'number' ? shown[button] : labelled(shown, button)
  const data = found !== undefined && 'callback_data' in found ? found.callback_data : undefined
  if (data === undefined) {
    const labels = shown.map(({ text }) => text).join(', ')
    throw new Error(`no button "${button}" below message ${message.id}, only: ${labels || 'none'}`)
  }
  return data
}

function labelled<Button extends { readonly text: string }>(
  buttons: readonly Button[],
  label: string,
): Button | undefined {
  const exact = buttons.find(({ text }) => text === label)
  if (exact !== undefined) return exact
  const similar = buttons.filter(({ text }) => text.includes(label))
  return similar.length === 1 ? similar[0] : undefined
}

export function tapButton(
  world: World,
  state: ChatState,
  bot: BotState,
  tap: {
    readonly from: User
    readonly messageId: number
    readonly data: string
    readonly as?: TapMessage
  },
): Tap {
  const query = bot.callbacks.add(world.now())
  const message = state.messages.get(tap.messageId)
  const gone = message === undefined || message.deleted
  const as = tap.as ?? (gone ? 'inaccessible' : 'accessible')
  bot.updates.push('callback_query', {
    id: query.id,
    from: tap.from,
    ...namedMessage(state, tap.messageId, message, as),
    chat_instance: String(4_294_967_296 + Math.abs(state.chat.id)),
    data: tap.data,
  } satisfies CallbackQuery)
  world.changed()
  return handleOf(world, query)
}

function namedMessage(
  state: ChatState,
  id: number,
  message: StoredMessage | undefined,
  as: TapMessage,
): Pick<CallbackQuery, 'message' | 'inline_message_id'> {
  if (as === 'absent') return { inline_message_id: `inline-${id}` }
  if (as === 'accessible' && message !== undefined) return { message: toApiMessage(state, message) }
  return { message: { message_id: id, chat: state.chat, date: 0 } }
}

function handleOf(world: World, query: CallbackState): Tap {
  const waitForAnswer = (options?: WaitOptions) =>
    world.changes.until(() => query.answer, { what: 'the answer to a tap', ...options })
  return {
    id: query.id,
    get answer() {
      return query.answer
    },
    get answered() {
      return waitForAnswer()
    },
    waitForAnswer,
  }
}
