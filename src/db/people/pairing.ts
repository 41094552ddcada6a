import { type NotNull, type Selectable, sql } from 'kysely'
import type { Role } from '../../domain/caller.ts'
import { lockByName } from '../locks.ts'
import type { Db, Schema } from '../schema.ts'

const now = sql<Date>`now()`
const aDayAgo = sql<Date>`now() - interval '1 day'`

type PairingCode = Selectable<Schema['pairing_code']>

/** What a code does for whoever sends it: gives a role, or links them with the account that had it made. */
export type CodePurpose =
  | { readonly role: Role; readonly links: null }
  | { readonly role: null; readonly links: string }

export type LinkCode = Pick<PairingCode, 'asked' | 'created_at'> & { readonly links: string }

export interface TryLimits {
  /** Failed tries of one person within a day. */
  readonly ofPerson: number
  readonly ofAll: number
}

/** One change of who is paired at a time, until the transaction ends. */
export function lockPairing(db: Db): Promise<void> {
  return lockByName(db, 'pairing')
}

/**
 * Counts a try as failed and answers its number; undefined, and nothing is counted: too many failed. Tries wait for each
 * other, so that those that come at once are no more than the limits either.
 */
export async function countTry(
  db: Db,
  callerId: string,
  limits: TryLimits,
): Promise<number | undefined> {
  if (await areSpent(db, callerId, limits)) return undefined
  await lockPairing(db)
  if (await areSpent(db, callerId, limits)) return undefined
  const { id } = await db
    .insertInto('pairing_try')
    .values({ caller_id: callerId })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function areSpent(db: Db, callerId: string, limits: TryLimits): Promise<boolean> {
  const { ofPerson, ofAll } = await countTries(db, callerId)
  return ofPerson >= limits.ofPerson || ofAll >= limits.ofAll
}

/** Failed tries of the last day. */
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

/** The try did not fail. */
export async function forgetTry(db: Db, id: number): Promise<void> {
  await db.deleteFrom('pairing_try').where('id', '=', id).execute()
}

/** Makes a code known; answers when it ends. */
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

/** A code that links accounts and is good now: it is not used up by looking. `asked`: who was told last what it would do. */
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

/** Notes who was told what a code would do. */
export async function noteAsked(db: Db, sha256: string, callerId: string): Promise<void> {
  await db
    .updateTable('pairing_code')
    .set({ asked: callerId })
    .where('code_sha256', '=', sha256)
    .execute()
}

/** Uses a code up, once; undefined: there is none that is good. In one statement, so that of two senders one has it. */
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
  // The table holds one of both.
  return role === null ? undefined : { role, links, created_at }
}

/** Ends the codes by which others could be linked with this account. */
export async function deleteLinkCodes(db: Db, callerId: string): Promise<void> {
  await db
    .deleteFrom('pairing_code')
    .where('links', '=', callerId)
    .where('used_at', 'is', null)
    .execute()
}

/** Whether it was this person who used the code up. */
export async function hasUsedCode(db: Db, sha256: string, callerId: string): Promise<boolean> {
  const row = await db
    .selectFrom('pairing_code')
    .select('used_by')
    .where('code_sha256', '=', sha256)
    .executeTakeFirst()
  return row?.used_by === callerId
}

/** Codes that are still good and give a role, the first to end first. */
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

/** Drops codes that ended, and tries that count no more. */
export async function deleteOldPairing(db: Db): Promise<void> {
  await db.deleteFrom('pairing_code').where('expires_at', '<=', aDayAgo).execute()
  await db.deleteFrom('pairing_try').where('at', '<=', aDayAgo).execute()
}
