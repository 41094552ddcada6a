import { updateCall } from '../../db/call/tool-calls.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { setUnreadBody } from '../../db/turn/messages.ts'
import { updateLeasedTurn } from '../../db/turn/turns.ts'
import {
  findUnreadUploads,
  setUploadCall,
  type UnreadUpload,
} from '../../db/upload/unread-uploads.ts'
import { markUploadsReported } from '../../db/upload/uploads.ts'
import type { ToolRequest } from '../../domain/message.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { filesHeader } from '../../domain/upload-name.ts'
import { putFileTool, readPut } from '../../rules/tools/put-file.ts'
import { uploadDirectory } from '../../shared/upload-directory.ts'
import { toStorable } from '../../util/text/storable.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/gate/call-context.ts'
import { notice, type Transaction, type TurnTransaction, transact } from '../transaction.ts'
import { lockTurn, type Stepped, type TurnContext } from './turn-context.ts'

/** Maximum files of one batch; the rest follows in the next. */
const mostAtOnce = 20

/**
 * CHAT-07: puts the files of the caller's messages into the workspace before they are read, as a batch of the person's own calls,
 * like `!command`; then the messages name their paths. undefined: no message waits for a file.
 */
export async function putUploads(ctx: TurnContext, turn: TurnRow): Promise<Stepped | undefined> {
  if ((await uploadsFor(ctx.db, turn)).length === 0) return undefined
  return transact(ctx, async (tx): Promise<Stepped | undefined> => {
    const locked = await lockTurn(tx, turn)
    const uploads = await uploadsFor(tx.db, turn)
    const unsent = uploads.filter(isUnsent)
    if (unsent.length > 0) return beginBatch(locked, unsent.slice(0, mostAtOnce))
    if ((await updateLeasedTurn(tx.db, turn.id, turn.epoch, {})) === undefined)
      return { kind: 'over' }
    await reportUploads(tx, locked.conversation.id, uploads)
    return undefined
  })
}

function isUnsent({ state, call_id, sha256 }: UnreadUpload): boolean {
  return state === 'kept' && call_id === null && sha256 !== null
}

function uploadsFor(db: Db, { session_id: sessionId, caller_id: author }: TurnRow) {
  return findUnreadUploads(db, { sessionId, author })
}

async function beginBatch(
  tx: TurnTransaction<TurnContext>,
  uploads: readonly UnreadUpload[],
): Promise<Stepped> {
  const { id, epoch, step } = tx.turn
  // Step 0 has no model calls; a batch has a step of its own.
  const change = { state: 'acting', step: step === 0 ? 0 : step + 1 } as const
  const own = await updateLeasedTurn(tx.db, id, epoch, change)
  if (own === undefined) return { kind: 'over' }
  const facts = await loadFacts(tx.ctx, tx.db, tx.session, own)
  const requests = uploads.map(toRequest)
  const batch = { messageId: null, requests }
  const calls = await createBatch({ ...tx, turn: own, facts }, batch)
  for (const call of calls) {
    const upload = uploads[call.ordinal]
    if (upload !== undefined) await setUploadCall(tx.db, upload.id, call.id)
    if (call.state === 'awaiting_approval') await updateCall(tx.db, call.id, { state: 'allowed' })
  }
  return { kind: 'continue', turn: own }
}

function toRequest({ id, name, bytes, sha256 }: UnreadUpload): ToolRequest {
  const path = `${uploadDirectory}/${name}`
  return { id, tool: putFileTool.name, arguments: JSON.stringify({ path, bytes, sha256 }) }
}

/** Adds the result of each file to its message for the model, and posts a line for people. */
export async function reportUploads(
  tx: Transaction,
  conversationId: string,
  uploads: readonly UnreadUpload[],
): Promise<void> {
  const messages = tx.ctx.messages.turns
  for (const [messageId, files] of Map.groupBy(uploads, (file) => file.message_id)) {
    const ends = files.map((file) => endOf(messages, file))
    const caption = files[0]?.message_body ?? ''
    const told = [filesHeader, ...ends.map(forModel)].join('\n')
    const body = caption === '' ? told : `${caption}\n\n${told}`
    await setUnreadBody(tx.db, messageId, toStorable(body))
    for (const text of forPeople(messages, ends)) await notice(tx, conversationId, text)
    await markUploadsReported(
      tx.db,
      files.map(({ id }) => id),
    )
  }
}

type End =
  | {
      readonly kind: 'saved'
      readonly path: string
      readonly bytes: number
      readonly mediaType: string | null
    }
  | { readonly kind: 'failed'; readonly name: string; readonly why: string }

function endOf(messages: Messages['turns'], file: UnreadUpload): End {
  const { name, bytes, failure, media_type: mediaType } = file
  const result = file.call_result ?? ''
  if (file.call_state !== 'succeeded') {
    const why =
      failure ??
      (whyFailed(result) || (file.sha256 === null ? messages.fileNotKept : messages.fileStopped))
    return { kind: 'failed', name, why }
  }
  const path = readPut(result)
  if (path === undefined) return { kind: 'failed', name, why: messages.filePathUnknown }
  return { kind: 'saved', path, bytes: bytes ?? 0, mediaType }
}

/** Extracts the line for people from a tool error. */
function whyFailed(result: string): string {
  return /^error: (.*)$/m.exec(result)?.[1] ?? ''
}

function forModel(end: End): string {
  if (end.kind === 'failed') return `- ${quoted(end.name)} was not saved: ${end.why}`
  const type = end.mediaType === null ? '' : `, ${end.mediaType}`
  return `- ${end.path} (${end.bytes} bytes${type})`
}

function forPeople(messages: Messages['turns'], ends: readonly End[]): readonly string[] {
  const saved = ends.flatMap((end) => (end.kind === 'saved' ? [end.path] : []))
  const failed = ends.flatMap((end) => (end.kind === 'failed' ? [end] : []))
  return [
    ...(saved.length === 0 ? [] : [messages.filesSaved({ paths: saved.join(', ') })]),
    ...failed.map(messages.fileNotSaved),
  ]
}

function quoted(name: string): string {
  return `“${name}”`
}
