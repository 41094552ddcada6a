import type { Api } from 'grammy'
import type { LiveStage } from '../../../../../ports/chat.ts'
import type { Log } from '../../../../../util/log.ts'
import type { Sender } from '../sender.ts'
import type { ChatPacing } from './chat-pacing.ts'
import type { LivePace } from './live-pace.ts'
import type { ShowOutcome } from './show-outcome.ts'

/** What everything that shows for a while works with. */
export interface LiveContext {
  readonly api: Api
  readonly sender: Sender
  readonly stage: LiveStage
  readonly log: Log
  readonly now: () => number
  readonly pace: LivePace
  readonly pacing: ChatPacing
  /** Whether this API has drafts; known once one was tried. */
  readonly drafts: { isOffered: boolean }
  /** Aborted when the view ends. */
  readonly ended: AbortSignal
  /** What is being shown just now; the view ends after it. */
  readonly underWay: Set<Promise<ShowOutcome>>
}
