import type { Incoming, TapAnswer } from '../../ports/chat.ts'
import type { Transaction } from '../transaction.ts'

/** The transaction that takes something in from a platform. */
export interface IntakeTransaction extends Transaction {
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
