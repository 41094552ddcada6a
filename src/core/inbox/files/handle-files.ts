import {
  findUploadsOfEvent,
  linkUploads,
  markUploadsReported,
  type UploadRow,
} from '../../../db/upload/uploads.ts'
import { type CommandContext, reply } from '../commands/command.ts'
import { explainOpen } from '../explain-open.ts'
import { handleText, takeMessage } from '../handle-text.ts'

/**
 * CHAT-07: a message with files, once they are fetched or cannot be had. Its words are the person's message; the files are put into the
 * workspace by the turn that reads it.
 */
export async function handleFiles(
  context: CommandContext,
  { text, replyTo }: { readonly text: string; readonly replyTo?: string | undefined },
): Promise<void> {
  const { db, eventId } = context
  const uploads = await findUploadsOfEvent(db, eventId)
  if (uploads.some(({ state }) => state === 'kept')) {
    await explainOpen(context, undefined)
    return takeMessage(context, text, (messageId) => linkUploads(db, eventId, messageId))
  }
  await tellRefused(context, uploads)
  if (text !== '') await handleText(context, text, replyTo)
}

async function tellRefused(context: CommandContext, uploads: readonly UploadRow[]): Promise<void> {
  for (const { name, failure } of uploads) {
    await reply(context, `“${name}” was not taken: ${failure ?? 'it could not be fetched'}.`)
  }
  await markUploadsReported(
    context.db,
    uploads.map(({ id }) => id),
  )
}
