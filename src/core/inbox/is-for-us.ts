import { isAlbumTaken } from '../../db/outbox/inbox.ts'
import { findConversation } from '../../db/turn/conversations.ts'
import type { Incoming } from '../../ports/chat.ts'
import type { IntakeKernel } from './intake-context.ts'

/** CHAT-07: what was not said to us is for us where it is of an album that is; of anything else nothing is looked at or kept. */
export async function isForUs(
  { db }: Pick<IntakeKernel, 'db'>,
  { platform, place, from, act }: Incoming,
): Promise<boolean> {
  if (act.kind !== 'message' || act.ifAlbumTaken !== true) return true
  const conversation = await findConversation(db, platform, place)
  if (conversation === undefined || act.album === undefined) return false
  return isAlbumTaken(db, act.album, { conversationId: conversation.id, callerId: from.id })
}
