import { insertOutgoing, isPending, type OutgoingOptions } from '../../db/outbox/outbox.ts'
import type { Db } from '../../db/schema.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { Effects } from '../transaction.ts'

/**
 * Puts a message to people at the end of its conversation's line; answers its number in the outbox. `to`: the caller that it
 * answers, who alone is reached where we are not.
 */
export async function post(
  db: Db,
  after: Effects,
  conversationId: string,
  message: Outgoing,
  options?: OutgoingOptions,
): Promise<number> {
  after.deliver(conversationId)
  return insertOutgoing(db, conversationId, toStorable(JSON.stringify(message)), options)
}

/** Words of the product itself. */
export async function notice(
  db: Db,
  after: Effects,
  conversationId: string,
  text: string,
  to?: string,
): Promise<void> {
  const options = to === undefined ? {} : { to }
  await post(db, after, conversationId, { kind: 'notice', text }, options)
}

/** The same, said as a turn ends without an answer: stopped, failed, or a person's own command. */
export async function endNotice(
  db: Db,
  after: Effects,
  turn: { readonly id: string; readonly conversationId: string },
  text: string,
  to: string,
): Promise<void> {
  const message = { kind: 'notice', text, endsTurn: turn.id } as const
  await post(db, after, turn.conversationId, message, { to })
}

/** As `notice`, unless the very words wait to be sent there already: whoever writes much is not answered as often. */
export async function noticeOnce(
  db: Db,
  after: Effects,
  conversationId: string,
  text: string,
  to: string,
): Promise<void> {
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  if (await isPending(db, conversationId, body, to)) return
  await notice(db, after, conversationId, text, to)
}
