import type { TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { Chat } from '../outgoing/messenger.ts'
import type { ChatPacing } from './chat-pacing.ts'
import type { LivePace } from './live-pace.ts'
import type { LiveScreen } from './live-screen.ts'
import type { ShowOutcome } from './show-outcome.ts'

/** What everything that shows for a while works with. */
export interface LiveContext {
  readonly screen: LiveScreen
  readonly stage: TransientMessageLock
  readonly log: Log
  readonly now: () => number
  readonly pace: LivePace
  readonly pacing: ChatPacing
  /** Aborted when the view ends. */
  readonly ended: AbortSignal
  /** What is being shown just now; the view ends after it. */
  readonly underWay: Set<Promise<ShowOutcome>>
}

/** Where something shows: a conversation, and the chat that it is in. */
export interface LiveSpot {
  readonly place: string
  readonly chat: Chat
}
