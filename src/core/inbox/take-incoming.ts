import { insertInbound } from '../../db/inbox.ts'
import { savePrivateConversation } from '../../db/reach.ts'
import { insertUploads, type NewUpload } from '../../db/uploads.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Incoming, IncomingAct, TapAnswer } from '../../ports/chat.ts'
import { assertNever } from '../../util/assert-never.ts'
import { toStorable } from '../../util/storable.ts'
import { transact } from '../kernel/transact.ts'
import { admit } from './admit.ts'
import { answerHere, conversationHere } from './answer-here.ts'
import { type Button, findButton } from './find-button.ts'
import { type InboundBody, inboundBody } from './inbound.ts'
import type { IntakeContext, IntakeKernel } from './intake-context.ts'
import { isForUs } from './is-for-us.ts'
import { takePairing } from './pair.ts'
import { parsePairing } from './pairing-code.ts'
import { pinUsernameOf } from './pin-username.ts'
import { paceOf, tellSlowed } from './slow-down.ts'
import { fittingFiles, joinAlbum, toUpload } from './take-files.ts'
import { tellStranger } from './tell-stranger.ts'

/** What became of something that came in. */
export type Taken =
  /** To be handled from its row; the same update twice is the same row. */
  | { readonly kind: 'stored'; readonly conversationId: string; readonly eventId: string }
  /** It is done with: nothing of it was stored. `answer` is for whoever tapped. */
  | { readonly kind: 'not_taken'; readonly answer?: TapAnswer }

const notYours: TapAnswer = { text: 'You may not answer this.', alert: true }
const notHere: TapAnswer = { text: 'This button is not valid here any more.', alert: true }
/** Nobody is to wait for an answer about a file that nobody reads. */
const fileAlone = 'I can read text only: the file was not taken.'
const captionOnly = 'I read the caption; the file itself was not taken.'

/**
 * The one door for chat platforms: whoever may talk gets a row in an inbox before the update is confirmed (LOOP-04), and
 * nobody else does (CHAT-01).
 */
export async function takeIncoming(kernel: IntakeKernel, incoming: Incoming): Promise<Taken> {
  if (!(await isForUs(kernel, incoming))) return { kind: 'not_taken' }
  await pinUsernameOf(kernel, incoming)
  return transact(kernel, async (db, after) => {
    const context = { kernel, db, after, incoming }
    const caller = await admit(kernel, db, incoming)
    const { act } = incoming
    return takeAct(context, caller, act)
  })
}

function takeAct(
  context: IntakeContext,
  caller: Caller | undefined,
  act: IncomingAct,
): Promise<Taken> {
  switch (act.kind) {
    case 'message':
      return takeMessage(context, caller, act)
    case 'tap':
      return takeTap(context, caller, act)
    case 'stop':
      return takeStop(context, caller, act)
    default:
      return assertNever(act)
  }
}

type Message = Extract<IncomingAct, { kind: 'message' }>
type Tap = Extract<IncomingAct, { kind: 'tap' }>

async function takeMessage(
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
  const privately = isPrivate ? undefined : from.privatePlace
  if (album !== undefined && files.length > 0) {
    const part = { conversationId: id, album, text, files }
    const eventId = await joinAlbum(context, part)
    if (eventId !== undefined) return { kind: 'stored', conversationId: id, eventId }
  }
  const content = {
    kind: files.length === 0 ? 'message' : 'files',
    text,
    ...(replyTo !== undefined && { replyTo }),
    ...(!isPrivate && { isShared: true }),
    ...(privately !== undefined && { privately }),
  }
  return store(
    context,
    id,
    content,
    files.map((file) => toUpload(file, album)),
  )
}

/** Of an album whose first part is too large the others are ours all the same. */
async function noteAlbum({ db, incoming }: IntakeContext, conversationId: string): Promise<Taken> {
  const { platform, externalId, from } = incoming
  const body = JSON.stringify({ kind: 'part' })
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  await insertInbound(db, { ...event, album: albumOf(incoming), isHandled: true })
  return { kind: 'not_taken' }
}

function albumOf({ act }: IntakeContext['incoming']): string | undefined {
  return act.kind === 'message' ? act.album : undefined
}

/** THREAT-8: who may tap is asked when it is handled; here, that the button is one of ours, in the chat it was made for. */
async function takeTap(
  context: IntakeContext,
  caller: Caller | undefined,
  { token, messageId, isThere, written }: Tap,
): Promise<Taken> {
  if (caller === undefined) return { kind: 'not_taken', answer: notYours }
  const { db, incoming } = context
  const button = await findButton(db, incoming, token)
  if (button === undefined) return { kind: 'not_taken', answer: notHere }
  const said = isThere === undefined ? {} : { isThere }
  const form = written === undefined ? {} : { written }
  return store(context, button.conversation_id, actOf(button, { messageId, ...said, ...form }))
}

async function takeStop(
  context: IntakeContext,
  caller: Caller | undefined,
  act: Extract<IncomingAct, { kind: 'stop' }>,
): Promise<Taken> {
  if (caller === undefined) return { kind: 'not_taken', answer: notYours }
  const { id } = await conversationHere(context)
  return store(context, id, act)
}

type Tapped = Omit<Tap, 'kind' | 'token'>

function actOf(button: Button, { written, ...below }: Tapped) {
  const { approval_id: approvalId, batch_id: batchId, grant_id, file_grant_id, action } = button
  if (button.turn_id !== null) {
    const { turn_id: turnId } = button
    return action === 'stop'
      ? { kind: action, turnId }
      : { kind: 'feedback', turnId, verdict: action }
  }
  if (approvalId !== null) return { kind: 'tap', approvalId, action, ...below, written }
  if (batchId !== null) return { kind: 'batch', batchId, action, ...below }
  const grant =
    grant_id === null ? { kind: 'file', id: file_grant_id } : { kind: 'session', id: grant_id }
  return { kind: 'revoke', grant, ...below }
}

async function store(
  context: IntakeContext,
  conversationId: string,
  content: unknown,
  uploads: readonly NewUpload[] = [],
): Promise<Taken> {
  const { kernel, db, incoming } = context
  const { platform, externalId, from } = incoming
  const parsed = inboundBody.safeParse(content)
  if (!parsed.success) {
    // Refused for good: a platform would hand over what is rejected again and again.
    const problems = parsed.error.issues.map(({ code, path }) => `${path.join('.')}: ${code}`)
    kernel.log.warn({ platform, update: externalId, problems }, 'what came in cannot be understood')
    return { kind: 'not_taken' }
  }
  const body = toStorable(JSON.stringify(parsed.data))
  const event = { platform, externalId, conversationId, callerId: from.id, body }
  const perMinute = paceOf(kernel, parsed.data)
  const how = { perMinute, isInLine: isInLine(parsed.data), album: albumOf(incoming) }
  const stored = await insertInbound(db, { ...event, ...how })
  if (stored.isNew && uploads.length > 0) await insertUploads(db, stored.id, uploads)
  if (stored.isSlowed) await tellSlowed(context, stored.id)
  return { kind: 'stored', conversationId, eventId: stored.id }
}

/** CHAT-07: what is said behind a file is said of it; commands need not wait for one. */
function isInLine(body: InboundBody): boolean {
  return body.kind === 'files' || (body.kind === 'message' && !body.text.startsWith('/'))
}
