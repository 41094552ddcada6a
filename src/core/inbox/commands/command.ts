import { findReach } from '../../../db/outbox/reach.ts'
import type { ConversationRow, SessionRow } from '../../../db/schema.ts'
import { ensureConversation } from '../../../db/turn/conversations.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Outgoing } from '../../../ports/chat.ts'
import { record } from '../../audit/record.ts'
import { notice, post } from '../../outbox/post.ts'
import type { Transaction } from '../../transaction.ts'
import type { InboxContext } from '../inbox-context.ts'

/** The transaction that a slash command runs in; conversation and session are locked. */
export interface CommandTransaction extends Transaction<InboxContext> {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly caller: Caller
  /** What is handled, as its row. */
  readonly eventId: string
  /** When it came in. */
  readonly receivedAt: Date
  /** Whether it came in elsewhere than in `conversation`, where the caller may not even be. */
  readonly isElsewhere: boolean
  /** False if no denial of the caller waits for a reason in `conversation`. */
  readonly awaitsReason: boolean
  /** Whether others read here too. */
  readonly isShared: boolean
  /** Then: where the caller alone is reached, if the platform told it. */
  readonly privately?: string
}

export interface Command {
  readonly name: string
  /** What it takes after its name, for `/help`. */
  readonly usage: string
  readonly summary: string
  readonly run: (
    context: CommandTransaction,
    text: string,
    words: readonly string[],
  ) => Promise<void>
}

const unreached =
  'That is not shown where others read. Write to me in a direct message once, then ask here again: it goes there.'

/** Answers what is not everybody's, with others' words: where others read too, in private (THREAT-6). */
export async function replyPrivately(
  tx: CommandTransaction,
  words: Omit<Extract<Outgoing, { kind: 'notice' }>, 'kind'>,
): Promise<void> {
  const { caller, isShared } = tx
  const conversationId = await privateConversation(tx)
  if (conversationId === undefined) return replyAlone(tx, unreached)
  await post(tx, conversationId, { kind: 'notice', ...words }, { to: caller.id })
  if (!isShared) return
  const told = 'Sent to you in a private chat. If it does not arrive, write to me there first.'
  await replyAlone(tx, told)
}

/**
 * Where the caller alone is answered; the conversation itself where nobody else reads. Undefined: the platform did not tell
 * such a place, and they have not written in one.
 */
export async function privateConversation(tx: CommandTransaction): Promise<string | undefined> {
  const { db, conversation, caller, isShared, privately } = tx
  if (!isShared) return conversation.id
  if (privately !== undefined) {
    return (await ensureConversation(db, conversation.platform, privately)).id
  }
  const reached = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  return reached?.conversationId ?? undefined
}

/** Answers a command in its conversation. */
export function reply(tx: CommandTransaction, text: string): Promise<void> {
  const { conversation, caller } = tx
  return notice(tx, conversation.id, text, caller.id)
}

/** TG-06: the same for what concerns nobody else, a refusal for example, though anybody may read it. */
export async function replyAlone(tx: CommandTransaction, text: string): Promise<void> {
  const { conversation, caller, isShared } = tx
  const onlyFor = isShared ? { onlyFor: caller.id } : {}
  const words = { kind: 'notice', text, ...onlyFor } as const
  await post(tx, conversation.id, words, { to: caller.id })
}

/** Puts into the audit what somebody ordered by a command, and of which turn. */
export function noteCommand(tx: CommandTransaction, note: string, turnId?: string): Promise<void> {
  const { db, session, caller } = tx
  return record(db, {
    kind: 'command',
    chain: session.id,
    session_id: session.id,
    ...(turnId === undefined ? {} : { turn_id: turnId }),
    caller_id: caller.id,
    note,
  })
}
