import { insertOutgoing, isPending, type OutgoingOptions } from '../../db/outbox/outbox.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import { findUntoldConversations } from '../../db/turn/turn-activity.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CoreContext } from '../context.ts'
import { type Transaction, transact } from '../transaction.ts'

/**
 * Appends a message to its conversation's outbox and returns its id there. `to`: the caller it answers, needed where only a reply
 * path reaches them.
 */
export async function post(
  tx: Transaction,
  conversationId: string,
  message: Outgoing,
  options?: OutgoingOptions,
): Promise<number> {
  tx.effects.deliver(conversationId)
  return insertOutgoing(tx.db, conversationId, toStorable(JSON.stringify(message)), options)
}

/** Posts a notice of the product itself. */
export async function notice(
  tx: Transaction,
  conversationId: string,
  text: string,
  to?: string,
): Promise<void> {
  const options = to === undefined ? {} : { to }
  await post(tx, conversationId, { kind: 'notice', text }, options)
}

/** Posts a notice that ends a turn without an answer: stopped, failed, or a person's own command. */
export async function endNotice(
  tx: Transaction,
  turn: { readonly id: string; readonly conversationId: string },
  text: string,
  to: string,
): Promise<void> {
  const message = { kind: 'notice', text, endsTurn: turn.id } as const
  await post(tx, turn.conversationId, message, { to })
}

/** Posts a notice unless the same text still waits there, so that many messages do not get as many replies. */
export async function noticeOnce(
  tx: Transaction,
  conversationId: string,
  text: string,
  to: string,
): Promise<void> {
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  if (await isPending(tx.db, conversationId, body, to)) return
  await notice(tx, conversationId, text, to)
}

/** Tells people whose turn waits that tools cannot run now, each conversation once. */
export async function noticeToolsAway(ctx: CoreContext): Promise<void> {
  const text = ctx.messages.inbox.toolsAway
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  await transact(ctx, async (tx) => {
    for (const { conversationId, callerId } of await findUntoldConversations(tx.db, body))
      await notice(tx, conversationId, text, callerId)
  })
}

/**
 * Notifies the operators' conversation, if `[logging] alerts_to` names one. `about`: conversation with the problem; if it is
 * theirs, nobody is notified.
 */
export async function alert(
  tx: Transaction,
  { text, about }: { readonly text: string; readonly about?: string },
): Promise<void> {
  const [, platform, place] = /^([^:]+):(.+)$/s.exec(tx.ctx.settings.alertsTo ?? '') ?? []
  if (platform === undefined || place === undefined) return
  const conversation = await ensureConversation(tx.db, platform, place)
  if (conversation.id !== about) await notice(tx, conversation.id, text)
}
