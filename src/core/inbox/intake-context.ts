import type { Db } from '../../db/schema.ts'
import type { Incoming, TapAnswer } from '../../ports/chat.ts'
import type { CoreContext } from '../context.ts'
import type { Effects } from '../transaction.ts'

/** What came in from a platform, within the transaction that takes it. */
export interface IntakeContext {
  readonly ctx: CoreContext
  readonly db: Db
  readonly after: Effects
  readonly incoming: Incoming
}

/** What became of something that came in. */
export type Taken =
  /** To be handled from its row; the same update twice is the same row, which is new once. */
  | {
      readonly kind: 'stored'
      readonly conversationId: string
      readonly eventId: string
      readonly isNew: boolean
    }
  /** It is done with: nothing of it was stored. `answer` is for whoever tapped. */
  | { readonly kind: 'not_taken'; readonly answer?: TapAnswer }
