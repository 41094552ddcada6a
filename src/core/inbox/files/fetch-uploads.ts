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
import { largerThan, maxUploadBytes } from '../../../domain/upload.ts'
import { toUploadName } from '../../../domain/upload-name.ts'
import type { ChatPlatform, FetchedFile } from '../../../ports/chat.ts'
import { assertNever } from '../../../util/assert-never.ts'
import { holdClaim } from '../../../util/hold-claim.ts'
import { sha256 } from '../../../util/sha256.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { CoreContext } from '../../context.ts'
import { notice } from '../../outbox/post.ts'
import { transact } from '../../transaction.ts'
import { toMediaType } from './take-files.ts'

const limitMs = 60_000
const longestPauseMs = 60_000
/** Some ten minutes of tries, then the message goes on without the file. */
const mostTries = 15
/** After so many, half a minute, the person is told why nothing happens. */
const triesUntilTold = 5

/**
 * CHAT-07: fetches the files of a conversation from its platform, one after the other; each is a row before it is fetched and
 * its bytes are kept in one transaction, so that a kill anywhere is made up for by whoever looks next. Answers in how many
 * milliseconds there is more to do, undefined: nothing waits.
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

/** Undefined: it was set aside meanwhile. */
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
    return fetched ?? { kind: 'refused', why: `${platform.name} gives out no files here` }
  } catch (error) {
    ctx.log.warn({ err: error, upload: id }, 'fetching a file broke down')
    return { kind: 'unreachable', why: 'something is wrong here' }
  }
}

/** The conversation that a file was sent in. */
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
  const tooLarge = `it is ${largerThan(limitOf(ctx))}`
  switch (fetched.kind) {
    case 'fetched':
      if (fetched.content.length > limitOf(ctx)) return refuseUpload(db, upload.id, tooLarge)
      return keep(ctx, upload, fetched)
    case 'too_large':
      return refuseUpload(db, upload.id, tooLarge)
    case 'refused':
      log.warn({ platform, upload: upload.id, why: fetched.why }, 'a file cannot be fetched')
      return refuseUpload(db, upload.id, toStorable(fetched.why.slice(0, 500)))
    case 'busy':
      return tryLater(ctx, source, upload, fetched.afterMs)
    case 'unreachable':
      log.warn({ platform, upload: upload.id, why: fetched.why }, 'a file is fetched later')
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
    // Whoever was sooner has kept the same bytes.
    if (!isKept) await deleteAttachment(tx.db, attachmentId)
  })
}

/** `namedMs`: what the platform asks to wait. It is a try too, so that a platform that always asks for more is given up. */
async function tryLater(
  ctx: CoreContext,
  { platform, conversationId }: UploadSource,
  { id, attempts, name }: UploadRow,
  namedMs = 0,
): Promise<void> {
  const tries = attempts + 1
  if (tries >= mostTries) {
    return refuseUpload(ctx.db, id, `${platform} did not give it out for too long`)
  }
  const afterMs = Math.min(longestPauseMs, Math.max(namedMs, 1_000 * 2 ** attempts))
  await transact(ctx, async (tx) => {
    const isWanted = await postponeUpload(tx.db, id, { afterMs, counts: true })
    if (!isWanted || tries !== triesUntilTold) return
    const text = `“${name}” cannot be fetched at the moment; I keep trying.`
    await notice(tx, conversationId, text)
  })
}
