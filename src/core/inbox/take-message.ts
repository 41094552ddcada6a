import { insertInbound } from '../../db/inbox.ts'
import { savePrivateConversation } from '../../db/reach.ts'
import type { Caller } from '../../domain/caller.ts'
import type { IncomingAct, IncomingFile } from '../../ports/chat.ts'
import { answerHere, conversationHere } from './answer-here.ts'
import type { IntakeContext, Taken } from './intake-context.ts'
import { isCommand } from './is-command.ts'
import { takePairing } from './pair.ts'
import { parsePairing } from './pairing-code.ts'
import { albumOf, storeEvent } from './store-event.ts'
import { fittingFiles, joinAlbum, toUpload } from './take-files.ts'
import { tellStranger } from './tell-stranger.ts'

type Message = Extract<IncomingAct, { kind: 'message' }>

/** Nobody is to wait for an answer about a file that nobody reads. */
const fileAlone = 'I can read text only: the file was not taken.'
const captionOnly = 'I read the caption; the file itself was not taken.'

/** What somebody wrote or sent: a pairing code, words to a stranger, or rows of an inbox. */
export async function takeMessage(
  context: IntakeContext,
  caller: Caller | undefined,
  { text, replyTo, unread, files: sent = [], album }: Message,
): Promise<Taken> {
  const pairing = parsePairing(text)
  if (pairing !== undefined) {
    await takePairing(context, caller, pairing)
    return { kind: 'not_taken' }
  }
  if (caller === undefined) {
    await tellStranger(context)
    return { kind: 'not_taken' }
  }
  if (unread === 'file') await answerHere(context, text === '' ? fileAlone : captionOnly)
  const files = await fittingFiles(context, sent)
  const isNothing = text === '' && files.length === 0
  if (isNothing && album === undefined) return { kind: 'not_taken' }
  const { isPrivate, from } = context.incoming
  const { id } = await conversationHere(context)
  if (isNothing) return noteAlbum(context, id)
  if (isPrivate) await savePrivateConversation(context.db, from.id, id)
  const words = replyTo === undefined ? { text } : { text, replyTo }
  if (files.length === 0 || !isCommand(text)) return keep(context, id, { ...words, files, album })
  // LOOP-14: a command waits for no file; that is a message of its own, and comes behind it.
  const taken = await keep(context, id, { ...words, files: [], album: undefined })
  await keep(withKey(context, 'files'), id, { text: '', files, album })
  return taken
}

interface Said {
  readonly text: string
  readonly replyTo?: string
  readonly files: readonly IncomingFile[]
  readonly album: string | undefined
}

async function keep(
  context: IntakeContext,
  conversationId: string,
  { text, replyTo, files, album }: Said,
): Promise<Taken> {
  const { isPrivate, from } = context.incoming
  const privately = isPrivate ? undefined : from.privatePlace
  if (album !== undefined && files.length > 0) {
    const eventId = await joinAlbum(context, { conversationId, album, text, files })
    if (eventId !== undefined) return { kind: 'stored', conversationId, eventId }
  }
  const content = {
    kind: files.length === 0 ? 'message' : 'files',
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(!isPrivate && { isShared: true }),
    ...(privately !== undefined && { privately }),
  }
  const uploads = files.map((file) => toUpload(file, album))
  return storeEvent(context, conversationId, content, uploads)
}

/** The same update, for a second row of it. */
function withKey(context: IntakeContext, key: string): IntakeContext {
  const { incoming } = context
  return { ...context, incoming: { ...incoming, externalId: `${incoming.externalId} ${key}` } }
}

/** Of an album whose first part is too large the others are ours all the same. */
async function noteAlbum({ db, incoming }: IntakeContext, conversationId: string): Promise<Taken> {
  const { platform, externalId, from } = incoming
  const body = JSON.stringify({ kind: 'part' })
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  await insertInbound(db, { ...event, album: albumOf(incoming), isHandled: true })
  return { kind: 'not_taken' }
}
