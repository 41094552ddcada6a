import { updateCall } from '../../db/call/tool-calls.ts'
import type { Db, TurnRow } from '../../db/schema.ts'
import { updateLeasedTurn } from '../../db/turn/turns.ts'
import {
  findUnreadUploads,
  setUploadCall,
  type UnreadUpload,
} from '../../db/upload/unread-uploads.ts'
import type { ToolRequest } from '../../domain/message.ts'
import { putFileTool } from '../../rules/tools/put-file.ts'
import { uploadDirectory } from '../../shared/upload-directory.ts'
import { createBatch } from '../call/create-batch.ts'
import { loadFacts } from '../call/gate/load-facts.ts'
import type { TurnTransaction } from '../transaction.ts'
import { transact } from '../transaction.ts'
import { lockTurn } from './lock-turn.ts'
import type { Stepped } from './stepped.ts'
import { tellUploads } from './tell-uploads.ts'
import type { TurnContext } from './turn-context.ts'

/** Of one batch; what is left makes the next. */
const mostAtOnce = 20

/**
 * CHAT-07: before a turn reads its caller's messages, the files that came with them are put into the workspace: a batch of calls of the
 * person's own, as those of `!command` are. Then the messages say where they are. undefined: no message waits for a file, or no longer.
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
    await tellUploads(tx, locked.conversation.id, uploads)
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
  // Step 0 has no calls of a model; a batch has a step for itself.
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
