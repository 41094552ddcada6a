import { insertInbound, setInboundBody } from '../../../db/outbox/inbox.ts'
import type { Db } from '../../../db/schema.ts'
import { ensureConversation, lockConversation } from '../../../db/turn/conversations.ts'
import { insertAttachment } from '../../../db/upload/attachments.ts'
import { findAlbumEvent, insertUploads, type NewUpload } from '../../../db/upload/uploads.ts'
import { toUploadName } from '../../../domain/upload-name.ts'
import type { IncomingFile } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/digest.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { CoreContext } from '../../context.ts'
import { transact } from '../../transaction.ts'
import { type Inbound, inboundBody } from '../inbound.ts'
import type { IntakeTransaction } from '../store-event.ts'

const longestType = 200

/** Maps a file to its upload row. */
export function toUpload(file: IncomingFile, album: string | undefined): NewUpload {
  return {
    name: toStorable(toUploadName(file.name)),
    mediaType: toMediaType(file.mediaType),
    reference: toStorable(file.reference),
    album,
    bytes: file.bytes,
  }
}

/** Validates a media type such as `image/png`: untrusted text that the model reads. */
export function toMediaType(given: string | undefined): string | undefined {
  const type = given?.slice(0, longestType).split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*$/.test(type) ? type : undefined
}

interface AlbumPart {
  readonly conversationId: string
  readonly album: string
  readonly text: string
  readonly files: readonly IncomingFile[]
}

/**
 * Joins a further part of an album to the first, as its parts arrive singly but are one message. undefined: it is the first part,
 * or too late.
 */
export async function joinAlbum(
  tx: IntakeTransaction,
  { conversationId, album, text, files }: AlbumPart,
): Promise<{ readonly eventId: string; readonly isNew: boolean } | undefined> {
  const { db, incoming } = tx

  await lockConversation(db, conversationId)
  const { platform, externalId, from } = incoming
  const first = await findAlbumEvent(db, { album, conversationId, callerId: from.id })
  if (first === undefined) return undefined
  const part = toStorable(JSON.stringify({ kind: 'part', of: first.id }))
  const event = { platform, externalId, conversationId, callerId: from.id, body: part }
  const { isNew, id } = await insertInbound(db, { ...event, isHandled: true })
  if (!isNew) return { eventId: id, isNew }
  await insertUploads(
    db,
    first.id,
    files.map((file) => toUpload(file, album)),
  )
  if (text !== '') await addText(db, first, text)
  return { eventId: first.id, isNew }
}

async function addText(
  db: Db,
  first: { readonly id: string; readonly body: string },
  text: string,
): Promise<void> {
  const body = inboundBody.parse(JSON.parse(first.body))
  if (body.kind !== 'files') return
  const whole = body.text === '' ? text : `${body.text}\n${text}`
  await setInboundBody(db, first.id, toStorable(JSON.stringify({ ...body, text: whole })))
}

/** File sent by a person at the terminal; at most 20 MiB. */
export interface InboundFile extends Omit<Inbound, 'body'> {
  readonly name: string
  readonly content: Buffer
}

/** CHAT-07: stores a file with its content as a message of its own. Returns the conversation to handle. */
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
