import { insertInbound } from '../../db/outbox/inbox.ts'
import { countOpenUploads } from '../../db/upload/open-uploads.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { maxUploadBytes, sizeText, toUploadName } from '../../domain/upload-name.ts'
import type { IncomingAct, IncomingFile } from '../../ports/chat.ts'
import { findCommand } from './commands/find-command.ts'
import { joinAlbum, toUpload } from './files/take-files.ts'
import { replyToStranger, takePairing } from './pairing/pair.ts'
import { parsePairing } from './pairing/pairing-code.ts'
import {
  albumOf,
  answerHere,
  conversationHere,
  type IntakeTransaction,
  postRemarks,
  storeEvent,
  type Taken,
} from './store-event.ts'

/** Maximum of a person's files that wait to be fetched or saved. */
const mostOpen = { files: 20, bytes: 100 * 1024 * 1024 } as const

type Message = Extract<IncomingAct, { kind: 'message' }>

/** Replies for files that cannot be read, so that nobody waits for an answer. */

/** Takes in a message: a pairing code, a stranger's text, or inbox rows. */
export async function takeMessage(
  tx: IntakeTransaction,
  caller: Caller | undefined,
  { text, replyTo, unread, files: sent = [], album }: Message,
): Promise<Taken> {
  const messages = tx.ctx.messages.inbox
  const pairing = parsePairing(text)
  if (pairing !== undefined) {
    await takePairing(tx, caller, pairing)
    return { kind: 'not_taken' }
  }
  if (caller === undefined) {
    await replyToStranger(tx)
    return { kind: 'not_taken' }
  }
  if (unread === 'file')
    await answerHere(tx, text === '' ? messages.fileNotRead : messages.captionOnly)
  const { files, remarks } = await fittingFiles(tx, sent)
  const isNothing = text === '' && files.length === 0
  if (isNothing && album === undefined && remarks.length === 0) return { kind: 'not_taken' }
  const { isPrivate, from } = tx.incoming
  const notesPrivate = isPrivate && !isNothing
  const { id } = await conversationHere(tx, notesPrivate ? from.id : undefined)
  if (isNothing) return noteNone(tx, id, remarks)
  const words = replyTo === undefined ? { text } : { text, replyTo }
  const all = { ...words, files, remarks, album }
  if (files.length === 0 || !isCommand(text)) return keep(tx, id, all)
  // LOOP-14: a command does not wait for files, which become a message of their own behind it.
  const taken = await keep(tx, id, { ...all, files: [], remarks: [], album: undefined })
  // A redelivery gives the same result, even if there is room for the files by now.
  const isNew = taken.kind === 'stored' && taken.isNew
  const behind = { text: '', files, remarks, album, followsCommand: true }
  if (isNew) await keep(withKey(tx, 'files'), id, behind)
  return taken
}

interface MessageParts {
  readonly text: string
  readonly replyTo?: string
  readonly files: readonly IncomingFile[]
  /** Remarks to the sender about other files. */
  readonly remarks: readonly string[]
  readonly album: string | undefined
  /**
   * Whether it follows a command, which may discard earlier parts; it then starts an album of its own that further parts join.
   */
  readonly followsCommand?: boolean
}

async function keep(
  tx: IntakeTransaction,
  conversationId: string,
  { text, replyTo, files, remarks, album, followsCommand = false }: MessageParts,
): Promise<Taken> {
  const { isPrivate, from } = tx.incoming
  const privately = isPrivate ? undefined : from.privatePlace
  if (album !== undefined && files.length > 0 && !followsCommand) {
    const joined = await joinAlbum(tx, { conversationId, album, text, files })
    if (joined?.isNew) await postRemarks(tx, remarks)
    if (joined) return { kind: 'stored', conversationId, ...joined }
  }
  const content = {
    kind: files.length === 0 ? 'message' : 'files',
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(!isPrivate && { isShared: true }),
    ...(privately !== undefined && { privately }),
  }
  const uploads = files.map((file) => toUpload(file, album))
  return storeEvent(tx, conversationId, content, { uploads, remarks })
}

/** Derives a second key from the update, for a second row. */
function withKey(tx: IntakeTransaction, key: string): IntakeTransaction {
  const { incoming } = tx
  return { ...tx, incoming: { ...incoming, externalId: `${incoming.externalId} ${key}` } }
}

/**
 * Records that no file was taken, in a handled row: redelivery must not repeat the remarks, and the other parts of an album whose
 * first part is too large are still for us.
 */
async function noteNone(
  tx: IntakeTransaction,
  conversationId: string,
  remarks: readonly string[],
): Promise<Taken> {
  const { db, incoming } = tx
  const { platform, externalId, from } = incoming
  const body = JSON.stringify({ kind: 'refused' })
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  const { isNew } = await insertInbound(db, { ...event, album: albumOf(incoming), isHandled: true })
  if (isNew) await postRemarks(tx, remarks)
  return { kind: 'not_taken' }
}

/** Whether a message is a known command. */
function isCommand(text: string): boolean {
  const [name = ''] = text.slice(1).split(/\s+/, 1)
  return text.startsWith('/') && findCommand(name) !== undefined
}

interface FittingFiles {
  readonly files: readonly IncomingFile[]
  /** Remarks to the sender about the other files. */
  readonly remarks: readonly string[]
}

/** CHAT-07: selects the files to take; nothing is fetched of those that are too large or too many. */
async function fittingFiles(
  tx: IntakeTransaction,
  sent: readonly IncomingFile[],
): Promise<FittingFiles> {
  const { ctx, db, incoming } = tx
  const messages = ctx.messages.inbox
  if (sent.length === 0) return { files: [], remarks: [] }
  const { uploadBytes = maxUploadBytes } = ctx.settings
  const isTooLarge = ({ bytes = 0 }: IncomingFile) => bytes > uploadBytes
  const tooLarge = sent.filter(isTooLarge)
  const open = await countOpenUploads(db, incoming.from.id, uploadBytes)
  const files: IncomingFile[] = []
  let { bytes } = open
  for (const file of sent.filter((one) => !isTooLarge(one))) {
    const more = bytes + (file.bytes ?? uploadBytes)
    if (open.files + files.length >= mostOpen.files || more > mostOpen.bytes) continue
    bytes = more
    files.push(file)
  }
  const tooMany = sent.filter((file) => !isTooLarge(file) && !files.includes(file))
  return {
    files,
    remarks: [
      ...tooLarge.map(({ name }) =>
        messages.fileTooLarge({
          name: toUploadName(name),
          limit: sizeText(ctx.messages, uploadBytes),
        }),
      ),
      ...(tooMany.length === 0 ? [] : [tellTooMany(ctx.messages, tooMany)]),
    ],
  }
}

function tellTooMany({ inbox }: Messages, [first, ...others]: readonly IncomingFile[]): string {
  return inbox.tooManyFiles({
    name: toUploadName(first?.name ?? ''),
    others: others.length,
    files: mostOpen.files,
    megabytes: mostOpen.bytes / 1024 / 1024,
  })
}
