import { getInbound } from '../../../db/outbox/inbox.ts'
import { deleteAttachment, insertAttachment } from '../../../db/upload/attachments.ts'
import {
  claimUpload,
  keepUpload,
  nextUploadInMs,
  postponeUpload,
  refuseUpload,
  renewUploadClaim,
  uploadClaimMs,
} from '../../../db/upload/upload-claims.ts'
import type { UploadRow } from '../../../db/upload/uploads.ts'
import { maxUploadBytes, sizeText, toUploadName } from '../../../domain/upload-name.ts'
import type { ChatPlatform, FetchedFile } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/digest.ts'
import { assertNever } from '../../../util/guards.ts'
import { holdClaim } from '../../../util/hold-claim.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { CoreContext } from '../../context.ts'
import { notice, transact } from '../../transaction.ts'
import { toMediaType } from './take-files.ts'

const limitMs = 60_000
const longestPauseMs = 60_000
/** Maximum tries, about ten minutes; then the message continues without the file. */
const mostTries = 15
/** Number of tries, about half a minute, after which the person is notified. */
const triesUntilTold = 5

/**
 * CHAT-07: fetches a conversation's files from its platform one by one; each has a row before, and its bytes are stored in one
 * transaction, so that another process can continue after a crash. Returns milliseconds until more is due; undefined: nothing
 * waits.
 */
export async function fetchUploads(
  ctx: CoreContext,
  platform: ChatPlatform,
  conversationId: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  while (!signal.aborted) {
    const upload = await claimUpload(ctx.db, conversationId)
    if (upload === undefined) break
    const fetched = await fetchClaimed(ctx, platform, upload, signal)
    if (signal.aborted) await postponeUpload(ctx.db, upload.id, { afterMs: 0, counts: false })
    else if (fetched !== undefined)
      await settle(ctx, { platform: platform.name, conversationId }, upload, fetched)
  }
  return nextUploadInMs(ctx.db, conversationId)
}

/** Fetches a file under a claim; undefined if the upload was dropped meanwhile. */
async function fetchClaimed(
  ctx: CoreContext,
  platform: ChatPlatform,
  upload: UploadRow,
  ending: AbortSignal,
): Promise<FetchedFile | undefined> {
  const { db, log } = ctx
  const renew = () => renewUploadClaim(db, upload.id)
  const claim = { what: `upload ${upload.id}`, claimMs: uploadClaimMs, renew, log }
  return holdClaim(claim, async (lost) => {
    const fetched = await fetchOne(ctx, platform, upload, AbortSignal.any([ending, lost]))
    return lost.aborted ? undefined : fetched
  })
}

async function fetchOne(
  ctx: CoreContext,
  platform: ChatPlatform,
  { id, reference }: UploadRow,
  ending: AbortSignal,
): Promise<FetchedFile> {
  try {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(limitMs)])
    const fetched = await platform.fetchFile?.(reference, { maxBytes: limitOf(ctx), signal })
    return fetched ?? { kind: 'refused', why: 'none' }
  } catch (error) {
    ctx.log.warn({ err: error, upload: id }, 'error while fetching a file')
    return { kind: 'unreachable', why: 'something is wrong here' }
  }
}

/** Conversation in which a file was sent. */
interface UploadSource {
  readonly platform: string
  readonly conversationId: string
}

async function settle(
  ctx: CoreContext,
  source: UploadSource,
  upload: UploadRow,
  fetched: FetchedFile,
): Promise<void> {
  const { db, log } = ctx
  const { platform } = source
  const { inbox } = ctx.messages
  const tooLarge = inbox.tooLarge({ limit: sizeText(ctx.messages, limitOf(ctx)) })
  switch (fetched.kind) {
    case 'fetched':
      if (fetched.content.length > limitOf(ctx)) return refuseUpload(db, upload.id, tooLarge)
      return keep(ctx, upload, fetched)
    case 'too_large':
      return refuseUpload(db, upload.id, tooLarge)
    case 'refused':
      log.warn(
        { platform, upload: upload.id, why: fetched.why },
        'platform refused to deliver a file',
      )
      return refuseUpload(db, upload.id, inbox.fileRefusals[fetched.why])
    case 'busy':
      return tryLater(ctx, source, upload, fetched.afterMs)
    case 'unreachable':
      log.warn(
        { platform, upload: upload.id, why: fetched.why },
        'failed to fetch a file, will retry',
      )
      return tryLater(ctx, source, upload)
    default:
      return assertNever(fetched)
  }
}

function limitOf({ settings }: CoreContext): number {
  return settings.uploadBytes ?? maxUploadBytes
}

async function keep(
  ctx: CoreContext,
  upload: UploadRow,
  { content, ...known }: Extract<FetchedFile, { kind: 'fetched' }>,
): Promise<void> {
  const name = known.name === undefined ? upload.name : toStorable(toUploadName(known.name))
  const mediaType = toMediaType(known.mediaType) ?? upload.media_type
  await transact(ctx, async (tx) => {
    const { conversation_id: conversationId } = await getInbound(tx.db, upload.inbound_event_id)
    const file = { conversationId, name, content, sha256: sha256(content) }
    const attachmentId = await insertAttachment(tx.db, file)
    const isKept = await keepUpload(tx.db, upload.id, { attachmentId, name, mediaType })
    // Another process has already stored the same bytes.
    if (!isKept) await deleteAttachment(tx.db, attachmentId)
  })
}

/**
 * Postpones a fetch. `namedMs`: wait requested by the platform. It counts as a try, so that a platform that keeps asking is given
 * up.
 */
async function tryLater(
  ctx: CoreContext,
  { platform, conversationId }: UploadSource,
  { id, attempts, name }: UploadRow,
  namedMs = 0,
): Promise<void> {
  const tries = attempts + 1
  if (tries >= mostTries) {
    return refuseUpload(ctx.db, id, ctx.messages.inbox.fetchGivenUp({ platform }))
  }
  const afterMs = Math.min(longestPauseMs, Math.max(namedMs, 1_000 * 2 ** attempts))
  await transact(ctx, async (tx) => {
    const isWanted = await postponeUpload(tx.db, id, { afterMs, counts: true })
    if (!isWanted || tries !== triesUntilTold) return
    await notice(tx, conversationId, ctx.messages.inbox.fetchRetrying({ name }))
  })
}
