import { lockConversation } from '../../db/conversations.ts'
import { insertInbound, setInboundBody } from '../../db/inbox.ts'
import type { Db } from '../../db/schema.ts'
import { findAlbumEvent, insertUploads, type NewUpload } from '../../db/uploads.ts'
import { largerThan, maxUploadBytes } from '../../domain/upload.ts'
import { toUploadName } from '../../domain/upload-name.ts'
import type { IncomingFile } from '../../ports/chat.ts'
import { toStorable } from '../../util/storable.ts'
import { answerHere } from './answer-here.ts'
import { inboundBody } from './inbound.ts'
import type { IntakeContext } from './intake-context.ts'

/** More than platforms let people send at once. */
const mostFiles = 50
const longestType = 200

/** CHAT-07: the files that may be taken; of one that is too large the person is told at once, and nothing of it is fetched. */
export async function fittingFiles(
  context: IntakeContext,
  files: readonly IncomingFile[],
): Promise<readonly IncomingFile[]> {
  const { uploadBytes = maxUploadBytes } = context.kernel.settings
  const isTooLarge = ({ bytes }: IncomingFile) => bytes !== undefined && bytes > uploadBytes
  for (const { name } of files.filter(isTooLarge)) {
    const text = `“${toUploadName(name)}” is ${largerThan(uploadBytes)} and was not taken.`
    await answerHere(context, text)
  }
  return files.filter((file) => !isTooLarge(file)).slice(0, mostFiles)
}

/** How a file is written down until it is fetched. */
export function toUpload(file: IncomingFile, album: string | undefined): NewUpload {
  return {
    name: toStorable(toUploadName(file.name)),
    mediaType: toMediaType(file.mediaType),
    reference: toStorable(file.reference),
    album,
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
  { db, incoming }: IntakeContext,
  { conversationId, album, text, files }: AlbumPart,
): Promise<string | undefined> {
  await lockConversation(db, conversationId)
  const { platform, externalId, from } = incoming
  const first = await findAlbumEvent(db, { album, conversationId, callerId: from.id })
  if (first === undefined) return undefined
  const part = toStorable(JSON.stringify({ kind: 'part', of: first.id }))
  const event = { platform, externalId, conversationId, callerId: from.id, body: part }
  const { isNew, id } = await insertInbound(db, { ...event, isHandled: true })
  if (!isNew) return id
  await insertUploads(
    db,
    first.id,
    files.map((file) => toUpload(file, album)),
  )
  if (text !== '') await addText(db, first, text)
  return first.id
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
