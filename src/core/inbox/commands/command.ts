import { findReach } from '../../../db/outbox/reach.ts'
import type { ConversationRow, SessionRow } from '../../../db/schema.ts'
import { ensureConversation } from '../../../db/turn/conversations.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import type { Outgoing } from '../../../ports/chat.ts'
import { record } from '../../audit/record.ts'
import { notice, post, type Transaction } from '../../transaction.ts'
import type { InboxContext } from '../inbound.ts'

/** Transaction of a slash command; conversation and session are locked. */
export interface CommandTransaction extends Transaction<InboxContext> {
  readonly conversation: ConversationRow
  readonly session: SessionRow
  readonly caller: Caller
  /** Id of the handled event's row. */
  readonly eventId: string
  /** Time the command came in. */
  readonly receivedAt: Date
  /** Whether it came from outside `conversation`, where the caller may not be a member. */
  readonly isElsewhere: boolean
  /** False if no denial of the caller waits for a reason in `conversation`. */
  readonly awaitsReason: boolean
  /** Whether other people read here. */
  readonly isShared: boolean
  /** Address of a private conversation with the caller, if the platform gave one. */
  readonly privately?: string
}

export type CommandName = Exclude<keyof Messages['commands']['summaries'], 'upload' | 'shell'>

export interface Command {
  readonly name: CommandName
  /** Arguments after the name, for `/help`. */
  readonly usage: (words: Messages['commands']['placeholders']) => string
  readonly run: (
    context: CommandTransaction,
    text: string,
    words: readonly string[],
  ) => Promise<void>
}

/** Replies in private if other people read here, as the text is not for everybody (THREAT-6). */
export async function replyPrivately(
  tx: CommandTransaction,
  words: Omit<Extract<Outgoing, { kind: 'notice' }>, 'kind'>,
): Promise<void> {
  const { ctx, caller, isShared } = tx
  const messages = ctx.messages.commands
  const conversationId = await privateConversation(tx)
  if (conversationId === undefined) return replyAlone(tx, messages.notInPublic)
  await post(tx, conversationId, { kind: 'notice', ...words }, { to: caller.id })
  if (!isShared) return
  await replyAlone(tx, messages.sentInPrivate)
}

/** Returns the conversation where only the caller reads. Undefined: the platform gave none, and they have not written in one. */
export async function privateConversation(tx: CommandTransaction): Promise<string | undefined> {
  const { db, conversation, caller, isShared, privately } = tx
  if (!isShared) return conversation.id
  if (privately !== undefined) {
    return (await ensureConversation(db, conversation.platform, privately)).id
  }
  const reached = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  return reached?.conversationId ?? undefined
}

/** Replies to a command in its conversation. */
export function reply(tx: CommandTransaction, text: string): Promise<void> {
  const { conversation, caller } = tx
  return notice(tx, conversation.id, text, caller.id)
}

/** TG-06: replies to the caller alone where the platform can, such as a refusal; the text is not secret. */
export async function replyAlone(tx: CommandTransaction, text: string): Promise<void> {
  const { conversation, caller, isShared } = tx
  const onlyFor = isShared ? { onlyFor: caller.id } : {}
  const words = { kind: 'notice', text, ...onlyFor } as const
  await post(tx, conversation.id, words, { to: caller.id })
}

/** Audits a person's command, with the turn it affected. */
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
