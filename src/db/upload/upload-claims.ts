import { sql, type UpdateResult } from 'kysely'
import type { Db } from '../schema.ts'
import type { UploadRow } from './uploads.ts'

const now = sql<Date>`now()`
/** Lifetime of a claim on a file in milliseconds; the holder renews it every third of that. */
export const uploadClaimMs = 15_000
const claimEnd = sql<Date>`now() + make_interval(secs => ${uploadClaimMs / 1000})`

/** Returns conversations of a platform with files due to be fetched. */
export async function findDueUploads(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select('inbound_event.conversation_id')
    .distinct()
    .where('upload.state', '=', sql.lit('waiting'))
    .where('upload.not_before', '<=', now)
    .where(isClaimable)
    .where('inbound_event.platform', '=', platform)
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** REL-03: files of a rate-limited message are not fetched before the message is due. */
const isClaimable = sql<boolean>`(
  (upload.claimed_until is null or upload.claimed_until < now())
  and (inbound_event.not_before is null or inbound_event.not_before <= now()))`

/** Claims the next due file of a conversation. */
export async function claimUpload(db: Db, conversationId: string): Promise<UploadRow | undefined> {
  return db
    .updateTable('upload')
    .set({ claimed_until: claimEnd })
    .where('id', '=', (query) =>
      query
        .selectFrom('upload')
        .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
        .select('upload.id')
        .where('inbound_event.conversation_id', '=', conversationId)
        .where('upload.state', '=', sql.lit('waiting'))
        .where('upload.not_before', '<=', now)
        .where(isClaimable)
        .orderBy('inbound_event.arrival')
        .orderBy('upload.ordinal')
        .limit(1)
        .forUpdate('upload')
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Returns the milliseconds until the next file of a conversation is due; undefined if none is waiting. */
export async function nextUploadInMs(db: Db, conversationId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select(
      sql<number | null>`ceil(extract(epoch from min(${dueAt}) - now()) * 1000)::int`.as('ms'),
    )
    .where('inbound_event.conversation_id', '=', conversationId)
    .where('upload.state', '=', sql.lit('waiting'))
    .executeTakeFirst()
  return row?.ms == null ? undefined : Math.max(0, row.ms)
}

const dueAt = sql`greatest(upload.not_before, upload.claimed_until, inbound_event.not_before)`

/** Renews the claim on a file; false if the file is no longer waiting. */
export async function renewUploadClaim(db: Db, id: string): Promise<boolean> {
  return hasChanged(await waiting(db, id).set({ claimed_until: claimEnd }).executeTakeFirst())
}

/** Releases all claims, for a start with no other process running. */
export async function releaseAllUploadClaims(db: Db): Promise<void> {
  await db
    .updateTable('upload')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('waiting'))
    .where('claimed_until', 'is not', null)
    .execute()
}

/** Stores the fetched file; false if another gateway was first. */
export async function keepUpload(
  db: Db,
  id: string,
  kept: { readonly attachmentId: string; readonly name: string; readonly mediaType: string | null },
): Promise<boolean> {
  const { attachmentId, name, mediaType } = kept
  return hasChanged(
    await waiting(db, id)
      .set({
        state: 'kept',
        attachment_id: attachmentId,
        name,
        media_type: mediaType,
        claimed_until: null,
      })
      .executeTakeFirst(),
  )
}

/** Marks a file as refused. */
export async function refuseUpload(db: Db, id: string, failure: string): Promise<void> {
  await waiting(db, id).set({ state: 'refused', failure, claimed_until: null }).execute()
}

/**
 * Postpones fetching a file by `afterMs`. `counts`: the attempt counts as a failed one. False if the file is no longer
 * waiting.
 */
export async function postponeUpload(
  db: Db,
  id: string,
  { afterMs, counts }: { readonly afterMs: number; readonly counts: boolean },
): Promise<boolean> {
  return hasChanged(
    await waiting(db, id)
      .set((eb) => ({
        attempts: eb('attempts', '+', counts ? 1 : 0),
        not_before: sql<Date>`now() + make_interval(secs => ${afterMs / 1000})`,
        claimed_until: null,
      }))
      .executeTakeFirst(),
  )
}

function waiting(db: Db, id: string) {
  return db.updateTable('upload').where('id', '=', id).where('state', '=', sql.lit('waiting'))
}

function hasChanged({ numUpdatedRows }: UpdateResult): boolean {
  return numUpdatedRows > 0n
}
