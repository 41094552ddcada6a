import { insertOutgoing, isPending } from '../../db/outbox.ts'
import type { Db } from '../../db/schema.ts'
import type { Outgoing } from '../../ports/chat.ts'
import { toStorable } from '../../util/storable.ts'
import type { Effects } from '../kernel/transact.ts'

/** Puts a message to people at the end of its conversation's line; answers its number in the outbox. */
export async function post(
  db: Db,
  after: Effects,
  conversationId: string,
  message: Outgoing,
  editOf?: number,
): Promise<number> {
  after.deliver(conversationId)
  return insertOutgoing(db, conversationId, toStorable(JSON.stringify(message)), editOf)
}

/** Words of the product itself; `quoted` is others'. */
export async function notice(
  db: Db,
  after: Effects,
  conversationId: string,
  text: string,
  quoted?: string,
): Promise<void> {
  const words = quoted === undefined ? { text } : { text, quoted }
  await post(db, after, conversationId, { kind: 'notice', ...words })
}

/** The same, unless the very words wait to be sent there already: whoever writes much is not answered as often. */
export async function noticeOnce(
  db: Db,
  after: Effects,
  conversationId: string,
  text: string,
): Promise<void> {
  const body = toStorable(JSON.stringify({ kind: 'notice', text }))
  if (await isPending(db, conversationId, body)) return
  await notice(db, after, conversationId, text)
}
