import type { Chat } from 'grammy/types'
import type { ChatState, Draft } from './chats.ts'
import { type SeenChange, type SeenMessage, seenMessages, toSeen } from './seen.ts'
import type { WaitOptions } from './waiting.ts'
import type { World } from './world.ts'

/** A chat as people see it. */
export class ChatView {
  readonly id: number
  readonly chat: Chat
  protected readonly world: World
  protected readonly state: ChatState

  constructor(world: World, state: ChatState) {
    this.id = state.chat.id
    this.chat = state.chat
    this.world = world
    this.state = state
  }

  /** What stands in the chat now, in order. */
  messages(): SeenMessage[] {
    return seenMessages(this.state)
  }

  /** What the bots sent of it. */
  botMessages(): SeenMessage[] {
    return this.messages().filter(({ from }) => from.kind === 'bot')
  }

  /** Every sending, editing and deleting, in order, as it was then. */
  get history(): SeenChange[] {
    return this.state.history.map(({ kind, at, message }) => ({
      kind,
      at,
      message: toSeen(message),
    }))
  }

  /** Chat actions, in order. */
  get actions(): ChatState['actions'] {
    return this.state.actions
  }

  /** What one member alone was shown, in order. */
  get ephemeral(): ChatState['ephemeral'] {
    return this.state.ephemeral
  }

  /** Every state of every draft, in order. */
  get drafts(): readonly Draft[] {
    return this.state.drafts
  }

  /** The draft that is shown: the last one, for 30 seconds, until a message comes. */
  get draft(): Draft | undefined {
    const { draft } = this.state
    return draft !== undefined && this.world.now() - draft.at < 30_000 ? draft : undefined
  }

  /** The first message in the chat that satisfies, as soon as there is one. */
  waitForMessage(
    wanted: (message: SeenMessage) => boolean,
    options?: WaitOptions,
  ): Promise<SeenMessage> {
    const look = () => this.messages().find(wanted)
    return this.world.changes.until(look, options, () => this.#story())
  }

  /** The first message of a bot whose text contains the words. */
  waitForText(words: string, options?: WaitOptions): Promise<SeenMessage> {
    const wanted = ({ from, text }: SeenMessage) => from.kind === 'bot' && text.includes(words)
    return this.waitForMessage(wanted, { what: `a message with "${words}"`, ...options })
  }

  #story(): string {
    const lines = this.messages().map(({ id, from, text }) => `  ${id} ${from.name}: ${text}`)
    return `; the chat shows\n${lines.join('\n')}`
  }
}
