import { type NotNull, type Selectable, sql } from 'kysely'
import type { Role } from '../../domain/caller.ts'
import { lockByName } from '../locks.ts'
import type { Db, Schema } from '../schema.ts'

const now = sql<Date>`now()`
const aDayAgo = sql<Date>`now() - interval '1 day'`

type PairingCode = Selectable<Schema['pairing_code']>

/** Effect of a pairing code on its sender: gives a role, or links the sender with the account that requested it. */
export type CodePurpose =
  | { readonly role: Role; readonly links: null }
  | { readonly role: null; readonly links: string }

export type LinkCode = Pick<PairingCode, 'asked' | 'created_at'> & { readonly links: string }

export interface TryLimits {
  /** Failed attempts of one person within a day. */
  readonly ofPerson: number
  readonly ofAll: number
}

/** Locks changes of pairings until the transaction ends. */
export function lockPairing(db: Db): Promise<void> {
  return lockByName(db, 'pairing')
}

/**
 * Counts an attempt as failed and returns its id; undefined, without counting, if too many failed. Attempts are
 * serialised, so that concurrent ones cannot exceed the limits.
 */
export async function countTry(
  db: Db,
  callerId: string,
  limits: TryLimits,
): Promise<number | undefined> {
  if (await areExhausted(db, callerId, limits)) return undefined
  await lockPairing(db)
  if (await areExhausted(db, callerId, limits)) return undefined
  const { id } = await db
    .insertInto('pairing_try')
    .values({ caller_id: callerId })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function areExhausted(db: Db, callerId: string, limits: TryLimits): Promise<boolean> {
  const { ofPerson, ofAll } = await countTries(db, callerId)
  return ofPerson >= limits.ofPerson || ofAll >= limits.ofAll
}

/** Counts failed attempts of the last day. */
export function countTries(
  db: Db,
  callerId: string,
): Promise<{ readonly ofPerson: number; readonly ofAll: number }> {
  return db
    .selectFrom('pairing_try')
    .select((eb) => [
      eb.fn.countAll<number>().as('ofAll'),
      eb.fn.countAll<number>().filterWhere('caller_id', '=', callerId).as('ofPerson'),
    ])
    .where('at', '>', aDayAgo)
    .executeTakeFirstOrThrow()
}

/** Deletes an attempt that succeeded. */
export async function forgetTry(db: Db, id: number): Promise<void> {
  await db.deleteFrom('pairing_try').where('id', '=', id).execute()
}

/** Stores a code; returns when it was created and expires. */
export function insertCode(
  db: Db,
  {
    sha256,
    minutes,
    ...purpose
  }: { sha256: string; minutes: number } & ({ readonly role: Role } | { readonly links: string }),
): Promise<Pick<PairingCode, 'created_at' | 'expires_at'>> {
  return db
    .insertInto('pairing_code')
    .values({
      code_sha256: sha256,
      role: 'role' in purpose ? purpose.role : null,
      links: 'links' in purpose ? purpose.links : null,
      created_at: now,
      expires_at: sql<Date>`now() + make_interval(mins => ${minutes})`,
    })
    .returning(['created_at', 'expires_at'])
    .executeTakeFirstOrThrow()
}

/** Returns a valid link code without using it. `asked`: the last person who was told what it would do. */
export async function findLinkCode(db: Db, sha256: string): Promise<LinkCode | undefined> {
  const code = await db
    .selectFrom('pairing_code')
    .select(['links', 'asked', 'created_at'])
    .where('code_sha256', '=', sha256)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst()
  if (code === undefined || code.links === null) return undefined
  return { ...code, links: code.links }
}

/** Records who was told what a code would do. */
export async function recordAsked(db: Db, sha256: string, callerId: string): Promise<void> {
  await db
    .updateTable('pairing_code')
    .set({ asked: callerId })
    .where('code_sha256', '=', sha256)
    .execute()
}

/** Uses a code once; undefined if no valid one exists. One statement, so that only one of two senders succeeds. */
export async function useCode(
  db: Db,
  sha256: string,
  callerId: string,
): Promise<(CodePurpose & Pick<PairingCode, 'created_at'>) | undefined> {
  const used = await db
    .updateTable('pairing_code')
    .set({ used_by: callerId, used_at: now })
    .where('code_sha256', '=', sha256)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .returning(['role', 'links', 'created_at'])
    .executeTakeFirst()
  if (used === undefined) return undefined
  const { role, links, created_at } = used
  if (links !== null) return { role: null, links, created_at }
  // A check constraint guarantees that one of both is set.
  return role === null ? undefined : { role, links, created_at }
}

/** Deletes unused link codes of this account. */
export async function deleteLinkCodes(db: Db, callerId: string): Promise<void> {
  await db
    .deleteFrom('pairing_code')
    .where('links', '=', callerId)
    .where('used_at', 'is', null)
    .execute()
}

/** True if this person used the code. */
export async function hasUsedCode(db: Db, sha256: string, callerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('pairing_code')
    .select('used_by')
    .where('code_sha256', '=', sha256)
    .executeTakeFirst()
  return row?.used_by === callerId
}

/** Returns valid role codes, ordered by expiry. */
export function findOpenCodes(
  db: Db,
): Promise<{ readonly role: Role; readonly expires_at: Date }[]> {
  return db
    .selectFrom('pairing_code')
    .select(['role', 'expires_at'])
    .where('role', 'is not', null)
    .$narrowType<{ role: NotNull }>()
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('expires_at')
    .execute()
}

/** Deletes expired codes and attempts that no longer count. */
export async function deleteOldPairing(db: Db): Promise<void> {
  await db.deleteFrom('pairing_code').where('expires_at', '<=', aDayAgo).execute()
  await db.deleteFrom('pairing_try').where('at', '<=', aDayAgo).execute()
}
