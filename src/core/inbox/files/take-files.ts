import { insertInbound, setInboundBody } from '../../../db/outbox/inbox.ts'
import type { Db } from '../../../db/schema.ts'
import { lockConversation } from '../../../db/turn/conversations.ts'
import { findAlbumEvent, insertUploads, type NewUpload } from '../../../db/upload/uploads.ts'
import { toUploadName } from '../../../domain/upload-name.ts'
import type { IncomingFile } from '../../../ports/chat.ts'
import { toStorable } from '../../../util/text/storable.ts'
import { inboundBody } from '../inbound.ts'
import type { IntakeTransaction } from '../intake-transaction.ts'

const longestType = 200

/** How a file is written down until it is fetched. */
export function toUpload(file: IncomingFile, album: string | undefined): NewUpload {
  return {
    name: toStorable(toUploadName(file.name)),
    mediaType: toMediaType(file.mediaType),
    reference: toStorable(file.reference),
    album,
    bytes: file.bytes,
  }
}

/** `image/png`: words of outsiders that the model will read. */
export function toMediaType(given: string | undefined): string | undefined {
  const type = given?.slice(0, longestType).split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*$/.test(type) ? type : undefined
}

export interface AlbumPart {
  readonly conversationId: string
  readonly album: string
  readonly text: string
  readonly files: readonly IncomingFile[]
}

/** The parts of an album come one by one and are one message: a further one joins the first. undefined: it is the first, or too late. */
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
