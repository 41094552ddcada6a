import {
  findUploadsOfEvent,
  linkUploads,
  markUploadsReported,
  type UploadRow,
} from '../../../db/upload/uploads.ts'
import { type CommandTransaction, reply } from '../commands/command.ts'
import { explainOpen } from '../explain-open.ts'
import { handleText, takeMessage } from '../handle-text.ts'

/**
 * CHAT-07: a message with files, once they are fetched or cannot be had. Its words are the person's message; the files are put into the
 * workspace by the turn that reads it.
 */
export async function handleFiles(
  tx: CommandTransaction,
  { text, replyTo }: { readonly text: string; readonly replyTo?: string | undefined },
): Promise<'handled' | undefined> {
  const { db, eventId } = tx
  const uploads = await findUploadsOfEvent(db, eventId)
  if (uploads.some(({ state }) => state === 'kept')) {
    await explainOpen(tx, undefined)
    return takeMessage(tx, text, (messageId) => linkUploads(db, eventId, messageId))
  }
  await tellRefused(tx, uploads)
  return text === '' ? undefined : handleText(tx, text, replyTo)
}

async function tellRefused(tx: CommandTransaction, uploads: readonly UploadRow[]): Promise<void> {
  for (const { name, failure } of uploads) {
    await reply(tx, `“${name}” was not taken: ${failure ?? 'it could not be fetched'}.`)
  }
  await markUploadsReported(
    tx.db,
    uploads.map(({ id }) => id),
  )
}
