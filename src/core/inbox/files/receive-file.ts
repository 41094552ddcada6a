import { insertInbound } from '../../../db/outbox/inbox.ts'
import { ensureConversation } from '../../../db/turn/conversations.ts'
import { insertAttachment } from '../../../db/upload/attachments.ts'
import { insertUploads } from '../../../db/upload/uploads.ts'
import { toUploadName } from '../../../domain/upload-name.ts'
import { sha256 } from '../../../util/sha256.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { CoreContext } from '../../context.ts'
import { transact } from '../../transaction.ts'
import type { Inbound } from '../inbound.ts'

/** A file of a person at the terminal; at most 20 MiB. */
export interface InboundFile extends Omit<Inbound, 'body'> {
  readonly name: string
  readonly content: Buffer
}

/** CHAT-07: stores a file whose bytes are here already, as a message of its own. Answers the conversation to handle. */
export function receiveFile(ctx: CoreContext, file: InboundFile): Promise<string> {
  const { platform, externalId, callerId, content } = file
  const name = toStorable(toUploadName(file.name))
  return transact(ctx, async (tx) => {
    const { id: conversationId } = await ensureConversation(tx.db, platform, file.conversation)
    const body = JSON.stringify({ kind: 'files', text: '' })
    const event = { platform, externalId, conversationId, callerId, body }
    const { id, isNew } = await insertInbound(tx.db, event)
    if (!isNew) return conversationId
    const kept = { conversationId, name, content, sha256: sha256(content) }
    const attachmentId = await insertAttachment(tx.db, kept)
    const upload = { name, mediaType: undefined, reference: '', attachmentId }
    await insertUploads(tx.db, id, [upload])
    return conversationId
  })
}
