import { lockOpenSession } from '../../db/sessions.ts'
import {
  findUploadsOfEvent,
  linkUploads,
  markUploadsTold,
  type UploadRow,
} from '../../db/uploads.ts'
import { type CommandContext, reply } from './commands/command.ts'
import { findCommand } from './commands/find-command.ts'
import { handleText, takeMessage } from './handle-text.ts'

/**
 * CHAT-07: a message with files, once they are fetched or cannot be had. Its words are the person's message, and a command does what it
 * always does; the files are put into the workspace by the turn that reads the message.
 */
export async function handleFiles(
  context: CommandContext,
  { text, replyTo }: { readonly text: string; readonly replyTo?: string | undefined },
): Promise<void> {
  const { eventId } = context
  const uploads = await findUploadsOfEvent(context.db, eventId)
  const isOrder = isCommand(text)
  if (isOrder) await handleText(context, text, replyTo)
  const now = isOrder ? await afterOrder(context) : context
  const caption = isOrder ? '' : text
  if (uploads.some(({ state }) => state === 'kept')) {
    const link = (messageId: string) => linkUploads(context.db, eventId, messageId)
    return takeMessage(now, caption, link)
  }
  await tellRefused(now, uploads)
  if (caption !== '') await handleText(now, caption, replyTo)
}

/** A command may have closed the session: the files belong to the one that is open now. */
async function afterOrder(context: CommandContext): Promise<CommandContext> {
  const { kernel, db, conversation } = context
  return {
    ...context,
    session: await lockOpenSession(
      db,
      conversation.id,
      conversation.worker ?? kernel.settings.worker,
    ),
  }
}

function isCommand(text: string): boolean {
  const [name = ''] = text.slice(1).split(/\s+/, 1)
  return text.startsWith('/') && findCommand(name) !== undefined
}

async function tellRefused(context: CommandContext, uploads: readonly UploadRow[]): Promise<void> {
  for (const { name, failure } of uploads) {
    await reply(context, `“${name}” was not taken: ${failure ?? 'it could not be fetched'}.`)
  }
  await markUploadsTold(
    context.db,
    uploads.map(({ id }) => id),
  )
}
