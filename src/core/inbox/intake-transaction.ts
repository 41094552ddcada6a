import { saveReplyPath } from '../../db/outbox/reply-paths.ts'
import type { CallerHere } from '../../db/people/callers.ts'
import type { ConversationRow } from '../../db/schema.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { Incoming, TapAnswer } from '../../ports/chat.ts'
import { notice } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'

/** Transaction that takes in a platform update. */
export interface IntakeTransaction extends Transaction {
  readonly incoming: Incoming
  /** Who wrote and where, as read when it began. */
  readonly here: CallerHere
}

/** Result of an intake. */
export type Taken =
  /** Stored in a row; the same update again gives the same row, with `isNew` false. */
  | {
      readonly kind: 'stored'
      readonly conversationId: string
      readonly eventId: string
      readonly isNew: boolean
    }
  /** Finished without a row. `answer` is for the person who tapped. */
  | { readonly kind: 'not_taken'; readonly answer?: TapAnswer }

/** Posts a notice to the source of an event that is not stored. */
export async function answerHere(tx: IntakeTransaction, text: string): Promise<void> {
  const { id } = await conversationHere(tx)
  await notice(tx, id, text, tx.incoming.from.id)
}

/**
 * The conversation that something came from, with how whoever wrote is answered where we are not. `privateOf`: whose
 * private conversation it is from now on.
 */
export async function conversationHere(
  tx: IntakeTransaction,
  privateOf?: string,
): Promise<ConversationRow> {
  const { db, incoming, here } = tx
  const { platform, place, from, replyPath } = incoming
  const isNoted = privateOf === undefined || here.isPrivate
  const known = isNoted ? here.conversation : undefined
  const conversation = known ?? (await ensureConversation(db, platform, place, privateOf))
  const whose = { conversationId: conversation.id, callerId: from.id }
  if (replyPath !== undefined) await saveReplyPath(db, whose, replyPath)
  return conversation
}

/** Posts each remark as a message of its own. */
export async function postRemarks(
  tx: IntakeTransaction,
  remarks: readonly string[],
): Promise<void> {
  for (const remark of remarks) await answerHere(tx, remark)
}
