import { sql, type UpdateResult } from 'kysely'
import type { Db } from '../schema.ts'
import type { UploadRow } from './uploads.ts'

const now = sql<Date>`now()`
/** How long whoever fetches a file may be silent before somebody else does; renewed every third of it. */
export const uploadClaimMs = 15_000
const claimEnd = sql<Date>`now() + make_interval(secs => ${uploadClaimMs / 1000})`

/** Conversations of a platform with files that are to be fetched now. */
export async function findDueUploads(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('upload')
    .innerJoin('inbound_event', 'inbound_event.id', 'upload.inbound_event_id')
    .select('inbound_event.conversation_id')
    .distinct()
    .where('upload.state', '=', sql.lit('waiting'))
    .where('upload.not_before', '<=', now)
    .where(isFree)
    .where('inbound_event.platform', '=', platform)
    .execute()
  return rows.map((row) => row.conversation_id)
}

/** REL-03: what came with a message that waits for its turn is not fetched before. */
const isFree = sql<boolean>`(
  (upload.claimed_until is null or upload.claimed_until < now())
  and (inbound_event.not_before is null or inbound_event.not_before <= now()))`

/** The next file of a conversation that is to be fetched, for whoever claims it. */
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
        .where(isFree)
        .orderBy('inbound_event.arrival')
        .orderBy('upload.ordinal')
        .limit(1)
        .forUpdate('upload')
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** In how many milliseconds the next file of a conversation may be fetched; undefined: none waits. */
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

/** Says again that somebody lives who fetches it. False: nobody waits for it any more. */
export async function renewUploadClaim(db: Db, id: string): Promise<boolean> {
  return hasChanged(await waiting(db, id).set({ claimed_until: claimEnd }).executeTakeFirst())
}

/** For a start that knows that nobody else lives: whoever was fetching is gone. */
export async function forgetUploadClaims(db: Db): Promise<void> {
  await db
    .updateTable('upload')
    .set({ claimed_until: null })
    .where('state', '=', sql.lit('waiting'))
    .where('claimed_until', 'is not', null)
    .execute()
}

/** Its bytes are here. False: somebody else was sooner. */
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

/** It cannot be had. */
export async function refuseUpload(db: Db, id: string, failure: string): Promise<void> {
  await waiting(db, id).set({ state: 'refused', failure, claimed_until: null }).execute()
}

/** It is tried again after so many milliseconds. `counts`: this was one of its tries. False: nobody waits for it any more. */
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
