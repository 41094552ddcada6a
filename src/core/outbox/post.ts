import { insertOutgoing, isPending, type OutgoingOptions } from '../../db/outbox/outbox.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Transaction } from '../transaction.ts'

/**
 * Puts a message to people at the end of its conversation's line; answers its number in the outbox. `to`: the caller that it
 * answers, who alone is reached where we are not.
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

/** Words of the product itself. */
export async function notice(
  tx: Transaction,
  conversationId: string,
  text: string,
  to?: string,
): Promise<void> {
  const options = to === undefined ? {} : { to }
  await post(tx, conversationId, { kind: 'notice', text }, options)
}

/** The same, said as a turn ends without an answer: stopped, failed, or a person's own command. */
export async function endNotice(
  tx: Transaction,
  turn: { readonly id: string; readonly conversationId: string },
  text: string,
  to: string,
): Promise<void> {
  const message = { kind: 'notice', text, endsTurn: turn.id } as const
  await post(tx, turn.conversationId, message, { to })
}

/** As `notice`, unless the very words wait to be sent there already: whoever writes much is not answered as often. */
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
