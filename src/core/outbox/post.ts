import { insertOutgoing } from '../../db/outbox.ts'
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

/** Words of the product itself. */
export async function notice(
  db: Db,
  after: Effects,
  conversationId: string,
  text: string,
): Promise<void> {
  await post(db, after, conversationId, { kind: 'notice', text })
}
