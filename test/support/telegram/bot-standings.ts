import type { User } from 'grammy/types'
import { changeStanding } from './arrivals.ts'
import type { BotState } from './bots.ts'
import { ChatView } from './chat-view.ts'

/** `GroupAnonymousBot`, whom a group's anonymous administrators speak through. */
export const anonymousAdmin: User = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
}

/** What people make of the bot in a chat; it is told with `my_chat_member`. */
export class BotStandings extends ChatView {
  /** The person of a private chat blocks the bot. */
  block(): void {
    this.#become('blocked')
  }

  unblock(): void {
    this.#become('member')
  }

  /** Throws a bot out of the group. */
  kick(): void {
    this.#become('kicked')
  }

  add(): void {
    this.#become('member')
  }

  /** Lets the bot read but not write. */
  mute(): void {
    this.#become('muted')
  }

  promote(): void {
    this.#become('admin')
  }

  #become(standing: Parameters<typeof changeStanding>[3]): void {
    const by = this.world.users.get(this.id) ?? anonymousAdmin
    changeStanding(this.world, this.state, this.firstBot(), standing, by)
  }

  /** The first bot of the chat. */
  protected firstBot(): BotState {
    const [bot] = this.state.bots.keys()
    if (bot === undefined) throw new Error('no bot is in this chat')
    return bot
  }
}
