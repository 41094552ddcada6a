import { sql } from 'kysely'
import type { Caller, Role } from '../../domain/caller.ts'
import { lockByName } from '../locks.ts'
import type { ConversationRow, Db } from '../schema.ts'

const now = sql<Date>`now()`

const anHourAgo = sql<Date>`now() - interval '1 hour'`

const aDayAgo = sql<Date>`now() - interval '1 day'`

/** Inserts a caller, or updates name and role. The paired role is kept. */
export async function saveCaller(db: Db, caller: Caller): Promise<void> {
  await db
    .insertInto('caller')
    .values({ id: caller.id, name: caller.name, role: caller.role })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name: caller.name, role: caller.role }),
    )
    .execute()
}

/** Stores the role given by a pairing; inserts the caller if unknown. */
export async function savePairedRole(
  db: Db,
  { id, name }: Pick<Caller, 'id' | 'name'>,
  role: Role,
): Promise<void> {
  await db
    .insertInto('caller')
    .values({ id, name, role, paired_role: role })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ paired_role: role }))
    .execute()
}

/** Removes the paired role; `role` is the remaining one. */
export async function endPairing(db: Db, id: string, role: Role): Promise<void> {
  await db.updateTable('caller').set({ paired_role: null, role }).where('id', '=', id).execute()
}

/** Returns those of the ids that are known callers. */
export async function findCallersAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('caller')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns a stored caller; undefined if unknown. */
export async function findCaller(db: Db, id: string): Promise<Caller | undefined> {
  return db
    .selectFrom('caller')
    .select(['id', 'name', 'role'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Caller with the role given by a pairing, if any. */
export interface KnownCaller extends Caller {
  readonly pairedRole: Role | null
  /** Time at which the caller became known. */
  readonly since: Date
}

export async function findKnownCaller(db: Db, id: string): Promise<KnownCaller | undefined> {
  return selectKnown(db).where('id', '=', id).executeTakeFirst()
}

/** Who wrote and where, each undefined if unknown. */
export interface CallerHere {
  readonly caller: KnownCaller | undefined
  readonly conversation: ConversationRow | undefined
  /** True if it is noted as the caller's private conversation. */
  readonly isPrivate: boolean
}

/** Returns a caller and the conversation at an address, as one statement. */
export async function findCallerHere(
  db: Db,
  id: string,
  { platform, place }: { readonly platform: string; readonly place: string },
): Promise<CallerHere> {
  const { rows } = await sql<Found>`
    select caller.name, caller.role, caller.paired_role, caller.created_at as since,
      conversation.id as conversation_id, conversation.worker,
      conversation.created_at as conversation_created_at,
      coalesce(caller.private_conversation_id = conversation.id, false) as is_private
    from (select) as nothing left join caller on caller.id = ${id}
      left join conversation on platform = ${platform} and external_id = ${place}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('a row is always found')
  const { name, role, paired_role: pairedRole, since, is_private: isPrivate } = row
  const { conversation_id, worker, conversation_created_at: created_at } = row
  return {
    caller: since === null ? undefined : { id, name, role, pairedRole, since },
    conversation:
      created_at === null
        ? undefined
        : { id: conversation_id, platform, external_id: place, worker, created_at },
    isPrivate,
  }
}

interface Found extends Pick<KnownCaller, 'name' | 'role'> {
  readonly paired_role: Role | null
  readonly since: Date | null
  readonly conversation_id: string
  readonly worker: string | null
  readonly conversation_created_at: Date | null
  readonly is_private: boolean
}

/** Returns all paired callers and the known ones among `ids`, ordered by id. */
export async function findPairedOr(db: Db, ids: readonly string[]): Promise<KnownCaller[]> {
  return selectKnown(db)
    .where((eb) =>
      eb.or([
        eb('paired_role', 'is not', null),
        ...(ids.length === 0 ? [] : [eb('id', 'in', ids)]),
      ]),
    )
    .orderBy('id')
    .execute()
}

/** Returns ids of all callers ever known on a platform. */
export async function findCallerIds(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('caller')
    .select('id')
    .where(sql<boolean>`starts_with(id, ${`${platform}:`})`)
    .execute()
  return rows.map(({ id }) => id)
}

/** Counts a platform's callers with a paired role. */
export async function countPaired(db: Db, platform: string): Promise<number> {
  const { paired } = await db
    .selectFrom('caller')
    .select((eb) => eb.fn.countAll<number>().as('paired'))
    .where('paired_role', 'is not', null)
    .where(sql<boolean>`starts_with(id, ${`${platform}:`})`)
    .executeTakeFirstOrThrow()
  return paired
}

function selectKnown(db: Db) {
  return db
    .selectFrom('caller')
    .select(['id', 'name', 'role', 'paired_role as pairedRole', 'created_at as since'])
}

/** Returns the display name of a caller, or the id if unknown. */
export async function nameOf(db: Db, id: string): Promise<string> {
  return (await findCaller(db, id))?.name ?? id
}

/**
 * Decides whether an unknown caller may be sent a reply now, and records it: once a day for each, and `perHour` callers
 * an hour.
 */
export async function takeUnknownCallerReply(
  db: Db,
  callerId: string,
  perHour: number,
): Promise<boolean> {
  // Check without the lock first, since most get no reply.
  if (!(await mayReply(db, callerId, perHour))) return false
  await lockByName(db, 'strangers')
  if (!(await mayReply(db, callerId, perHour))) return false
  await db.deleteFrom('stranger').where('told_at', '<=', aDayAgo).execute()
  await db.insertInto('stranger').values({ caller_id: callerId, told_at: now }).execute()
  return true
}

async function mayReply(db: Db, callerId: string, perHour: number): Promise<boolean> {
  const { lately, told: replied } = await db
    .selectFrom('stranger')
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('told_at', '>', anHourAgo).as('lately'),
      eb.fn.countAll<number>().filterWhere('caller_id', '=', callerId).as('told'),
    ])
    .where('told_at', '>', aDayAgo)
    .executeTakeFirstOrThrow()
  return replied === 0 && lately < perHour
}
