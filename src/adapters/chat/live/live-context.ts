import type { TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { Chat } from '../outgoing/messenger.ts'
import type { ChatPacing } from './chat-pacing.ts'
import type { LivePace } from './live-pace.ts'
import type { LiveScreen } from './live-screen.ts'

/** Dependencies shared by all parts of a live view. */
export interface LiveContext {
  readonly screen: LiveScreen
  readonly lock: TransientMessageLock
  readonly log: Log
  readonly now: () => number
  readonly pace: LivePace
  readonly pacing: ChatPacing
  /** Aborts when the view closes. */
  readonly ended: AbortSignal
  /** Operations under way; closing the view waits for them. */
  readonly operations: Set<Promise<ShowOutcome>>
}

/** A conversation and the chat that contains it. */
export interface LiveTarget {
  readonly place: string
  readonly chat: Chat
}

/** Result of showing a transient message. */
export type ShowOutcome =
  | { readonly kind: 'shown' }
  /** Too early; try again at `readyAt`. */
  | { readonly kind: 'early'; readonly readyAt: number }
  /** A durable message has priority, or the subject has ended. */
  | { readonly kind: 'held' }
  /** `isFinal`: further attempts are useless. */
  | { readonly kind: 'failed'; readonly isFinal: boolean }
