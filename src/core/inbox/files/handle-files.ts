import {
  findUploadsOfEvent,
  linkUploads,
  markUploadsReported,
  type UploadRow,
} from '../../../db/upload/uploads.ts'
import { type CommandTransaction, reply } from '../commands/command.ts'
import { handleText, takeMessage, takeReason } from '../handle-text.ts'

/**
 * CHAT-07: handles a message with files once each is fetched or has failed. The text is the person's message; the turn that reads
 * it puts the files into the workspace.
 */
export async function handleFiles(
  tx: CommandTransaction,
  { text, replyTo }: { readonly text: string; readonly replyTo?: string | undefined },
): Promise<'handled' | undefined> {
  const { db, eventId } = tx
  const uploads = await findUploadsOfEvent(db, eventId)
  if (uploads.some(({ state }) => state === 'kept')) {
    await takeReason(tx, undefined)
    return takeMessage(tx, text, (messageId) => linkUploads(db, eventId, messageId))
  }
  await notifyRefusedFiles(tx, uploads)
  return text === '' ? undefined : handleText(tx, text, replyTo)
}

async function notifyRefusedFiles(
  tx: CommandTransaction,
  uploads: readonly UploadRow[],
): Promise<void> {
  const messages = tx.ctx.messages.inbox
  for (const { name, failure } of uploads) {
    const why = failure ?? messages.notFetched
    await reply(tx, messages.fileNotTaken({ name, why }))
  }
  await markUploadsReported(
    tx.db,
    uploads.map(({ id }) => id),
  )
}
