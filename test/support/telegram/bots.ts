import type { BotCommand, UserFromGetMe } from 'grammy/types'
import type { CallbackQueries } from './callback-queries.ts'
import type { ChatState } from './chats.ts'
import type { StoredMessage } from './messages.ts'
import type { UpdateQueue } from './update-queue.ts'
import type { Webhook } from './webhook.ts'

/** One bot: its token, its queue of updates and the private chats that people began with it. */
export interface BotState {
  readonly token: string
  readonly user: UserFromGetMe
  readonly updates: UpdateQueue
  readonly webhook: Webhook
  readonly callbacks: CallbackQueries
  /** By scope and language. */
  readonly commands: Map<string, readonly BotCommand[]>
  /** By the person's id. */
  readonly privateChats: Map<number, ChatState>
  /** What it sent itself: all that it may edit. */
  readonly sent: WeakSet<StoredMessage>
}
