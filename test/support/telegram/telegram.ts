import type { Chat, User } from 'grammy/types'
import type { BotState } from './bots.ts'
import { ChatHandle } from './chat-handle.ts'
import { createChatState } from './chats.ts'
import { type BotOptions, createBot } from './create-bot.ts'
import { type FaultHook, FaultScript } from './limits/faults.ts'
import { RateGuard, type RateLimits } from './limits/rate-limits.ts'
import { Platform } from './platform.ts'
import type { OpenCall } from './request-log.ts'
import { listen } from './server.ts'
import { createWorld, type NewFeature } from './world.ts'

export interface TelegramOptions {
  /** One bot unless given. The first is the one that `token` and `bot` mean. */
  readonly bots?: readonly BotOptions[]
  /** May bots use `sendMessageDraft`? Without, the server does not know the method. */
  readonly drafts?: boolean
  /** What the server is too old for; nothing unless given. */
  readonly lacks?: readonly NewFeature[]
  readonly limits?: RateLimits
  readonly fault?: FaultHook
  /** Unix milliseconds. */
  readonly now?: () => number
  /** A tap can be answered this long; a minute unless given. */
  readonly callbackQueryMaxAgeMs?: number
  /** The second conflict within this time is told after it; 3 seconds unless given, as Telegram does. */
  readonly conflictPauseMs?: number
  /** Before a webhook that failed is tried again, doubling up to 16 times; 100 ms unless given. */
  readonly webhookRetryMs?: number
}

const defaultBot: BotOptions = {
  token: '700700700:AAE-stand-in_token-0123456789abcdef',
  username: 'countersign_test_bot',
  firstName: 'Countersign',
}

/** The Bot API on a free port of 127.0.0.1, as strict as the platform, with the people on the other side of it. */
export async function createTelegram(options: TelegramOptions = {}): Promise<TelegramStandIn> {
  const now = options.now ?? Date.now
  const bots: BotState[] = []
  const world = createWorld({
    bots,
    now,
    drafts: options.drafts ?? false,
    lacks: new Set(options.lacks),
    callbackQueryMaxAgeMs: options.callbackQueryMaxAgeMs ?? 60_000,
  })
  for (const [index, given] of (options.bots ?? [defaultBot]).entries()) {
    bots.push(createBot(world, given, index, options))
  }
  const script = new FaultScript()
  const guard = new RateGuard(options.limits ?? {})
  const log: OpenCall[] = []
  const hook: { fault: FaultHook | undefined } = { fault: options.fault }
  const server = await listen({
    world,
    guard,
    log,
    faultFor: (call) => script.take(call) ?? hook.fault?.(call),
  })
  return new TelegramStandIn({ world, guard, log, script, hook, server })
}

/** It outlives the product: what was not confirmed is given again to whoever asks next. */
export class TelegramStandIn extends Platform {
  addUser(user: Omit<User, 'is_bot'> & { readonly is_bot?: boolean }): User {
    const added = { is_bot: false, ...user }
    this.parts.world.users.set(added.id, added)
    return added
  }

  /** The person began a chat with the bot; the same one every time. */
  privateChat(user: User, token?: string): ChatHandle {
    const bot = this.botState(token)
    const { world } = this.parts
    world.users.set(user.id, user)
    const { id, first_name, username } = user
    const chat: Chat = {
      id,
      type: 'private',
      first_name,
      ...(username !== undefined && { username }),
    }
    const state = bot.privateChats.get(id) ?? createChatState(chat, 1)
    bot.privateChats.set(id, state)
    if (!state.bots.has(bot)) state.bots.set(bot, 'member')
    return new ChatHandle(world, state, [user])
  }

  /** A group with the bots (all of them unless given) in it; an id of −100… makes it a supergroup. */
  group(given: {
    readonly id: number
    readonly title: string
    readonly members: readonly User[]
    readonly forum?: boolean
    readonly username?: string
    readonly tokens?: readonly string[]
  }): ChatHandle {
    const { id, title } = given
    const chat: Chat = String(id).startsWith('-100')
      ? {
          id,
          type: 'supergroup',
          title,
          ...(given.username !== undefined && { username: given.username }),
          ...(given.forum === true && { is_forum: true as const }),
        }
      : { id, type: 'group', title }
    return this.#place(chat, 'member', given.members, given.tokens)
  }

  /** A channel with the bots as its administrators. */
  channel(given: { readonly id: number; readonly title: string }): ChatHandle {
    return this.#place({ ...given, type: 'channel' }, 'admin', [])
  }

  #place(
    chat: Chat,
    standing: 'member' | 'admin',
    members: readonly User[],
    tokens?: readonly string[],
  ): ChatHandle {
    const { world } = this.parts
    if (world.groups.has(chat.id)) throw new Error(`there is a chat ${chat.id} already`)
    // Number 1 is the general topic of a forum.
    const state = createChatState(chat, chat.is_forum === true ? 2 : 1)
    world.groups.set(chat.id, state)
    for (const user of members) world.users.set(user.id, user)
    for (const bot of world.bots) {
      if (tokens?.includes(bot.token) ?? true) state.bots.set(bot, standing)
    }
    return new ChatHandle(world, state, members)
  }
}
