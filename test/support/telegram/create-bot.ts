import type { UserFromGetMe } from 'grammy/types'
import type { BotState } from './bots.ts'
import { CallbackQueries } from './callback-queries.ts'
import { Params } from './params.ts'
import { callMethod } from './server.ts'
import { UpdateQueue } from './update-queue.ts'
import { Webhook } from './webhook.ts'
import type { World } from './world.ts'

export interface BotOptions {
  readonly token: string
  readonly username: string
  readonly firstName?: string
  /** False: privacy mode. True unless given. */
  readonly readsAllGroupMessages?: boolean
}

export function createBot(
  world: World,
  given: BotOptions,
  index: number,
  options: { readonly conflictPauseMs?: number; readonly webhookRetryMs?: number },
): BotState {
  const updates = new UpdateQueue(500_000_001 + index * 1_000_000, options.conflictPauseMs ?? 3000)
  const webhook = new Webhook(updates, {
    retryMs: options.webhookRetryMs ?? 100,
    now: world.now,
    onCall: async ({ method, ...params }) => {
      const gone = new AbortController().signal
      const call = callMethod(world, bot, String(method), new Params(params, new Map()), gone)
      // Nobody hears what becomes of such a call.
      await call.catch(() => undefined)
    },
  })
  const bot: BotState = {
    token: given.token,
    user: botUser(given),
    updates,
    webhook,
    callbacks: new CallbackQueries(),
    commands: new Map(),
    privateChats: new Map(),
    sent: new WeakSet(),
  }
  return bot
}

function botUser(given: BotOptions): UserFromGetMe {
  return {
    id: Number(given.token.split(':')[0]),
    is_bot: true,
    first_name: given.firstName ?? given.username,
    username: given.username,
    can_join_groups: true,
    can_read_all_group_messages: given.readsAllGroupMessages ?? true,
    supports_guest_queries: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  }
}
