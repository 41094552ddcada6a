import { markHandled } from '../../../db/inbox.ts'
import { findWaitingFiles } from '../../../db/open-uploads.ts'
import { findUnreadUploads, type UnreadUpload } from '../../../db/unread-uploads.ts'
import { markUploadsTold } from '../../../db/uploads.ts'
import type { CommandContext } from './command.ts'

const dropped = 'dropped by /clear'
const mostNamed = 5

/**
 * CHAT-07: files that a person sent before, and that still wait to be fetched or to be put into the workspace, are dropped with the
 * messages that they came with. Answers words for it; undefined: none waited.
 */
export async function dropFiles(
  { db, conversation, session, receivedAt }: CommandContext,
  author: string,
): Promise<string | undefined> {
  const of = { conversationId: conversation.id, callerId: author, before: receivedAt }
  const coming = await findWaitingFiles(db, of)
  for (const id of new Set(coming.map((file) => file.inbound_event_id))) {
    await markHandled(db, id, { failure: dropped })
  }
  const unread = await findUnreadUploads(db, { sessionId: session.id, author })
  const files = [...coming, ...unread]
  await markUploadsTold(
    db,
    files.map(({ id }) => id),
  )
  const names = [...coming, ...unread.filter(isOpen)].map(({ name }) => `“${name}”`)
  return names.length === 0 ? undefined : `Files that still waited are dropped: ${listed(names)}.`
}

/** Not what is in the workspace already, nor what could not be had. */
function isOpen({ state, call_state }: UnreadUpload): boolean {
  return state === 'kept' && call_state !== 'succeeded'
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed
  return names.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
