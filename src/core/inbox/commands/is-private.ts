import { requestBoxRestart } from '../../../db/call/box-restarts.ts'
import { findReach } from '../../../db/outbox/reach.ts'
import type { ConversationRow, Db } from '../../../db/schema.ts'
import { getConversation } from '../../../db/turn/conversations.ts'
import { hasTurnsInThreads } from '../../../db/turn/turn-activity.ts'
import { type Caller, chatOf } from '../../../domain/caller.ts'
import { platformFacts } from '../../../domain/chat-platforms.ts'
import type { CommandTransaction } from './command.ts'

/** Whether only the caller reads here; false if uncertain. */
export async function isPrivate(tx: CommandTransaction): Promise<boolean> {
  const { db, conversation, caller, isShared } = tx
  return !isShared && (await isOwnChat(db, caller, conversation))
}

/** Whether a conversation is in the chat where only this caller wrote to us; false if uncertain. */
export async function isOwnChat(
  db: Db,
  caller: Caller,
  conversation: ConversationRow,
): Promise<boolean> {
  const own = (await findReach(db, [caller.id])).find(({ id }) => id === caller.id)
  if (own === undefined || own.conversationId === null) return false
  if (own.conversationId === conversation.id) return true
  const { platform, external_id: place } = await getConversation(db, own.conversationId)
  return platform === conversation.platform && chatOf(place) === chatOf(conversation.external_id)
}

/** Appends a hint if the command was probably meant for a thread. */
export async function withThreadHint(tx: CommandTransaction, words: string): Promise<string> {
  return [words, ...(await threadHints(tx))].join(' ')
}

/** SLACK-01: returns a hint for commands beside threads, if the platform takes none inside them, where the turns are. */
export async function threadHints(tx: CommandTransaction): Promise<readonly string[]> {
  const { ctx, db, conversation } = tx
  const { platform, external_id: place } = conversation
  if (!platformFacts(platform).threadsTakeNoCommands || place.includes('/')) return []
  return (await hasTurnsInThreads(db, platform, place)) ? [ctx.messages.commands.perhapsThread] : []
}

/** Requests a restart of this conversation's box from an agent, which alone can sign jobs. */
export async function restartBox(tx: CommandTransaction): Promise<void> {
  const { db, conversation, session, caller } = tx
  await requestBoxRestart(db, {
    conversationId: conversation.id,
    worker: session.worker,
    callerId: caller.id,
  })
  tx.effects.restartBoxes()
}
