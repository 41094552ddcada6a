import { sql } from 'kysely'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Db } from '../schema.ts'

const now = sql<Date>`now()`
/** Last use is recorded once a minute, so that not every request writes. */
const aMinuteAgo = sql<Date>`now() - interval '1 minute'`

/** Stores a token for an existing caller; false if the caller already has one. */
export async function insertApiToken(db: Db, sha256: string, callerId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('api_token')
    .values({ token_sha256: sha256, caller_id: callerId })
    .onConflict((conflict) => conflict.column('caller_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** Returns the caller of a token with the current role; undefined if the token is unknown or its caller has no role any more. */
export async function findApiCaller(db: Db, sha256: string): Promise<Caller | undefined> {
  return toCaller(await selectCaller(db, sha256).executeTakeFirst())
}

/** Returns the caller and prevents revocation of the token until the transaction ends. */
export async function holdApiCaller(db: Db, sha256: string): Promise<Caller | undefined> {
  return toCaller(await selectCaller(db, sha256).forKeyShare('api_token').executeTakeFirst())
}

function selectCaller(db: Db, sha256: string) {
  return db
    .selectFrom('api_token')
    .innerJoin('caller', 'caller.id', 'api_token.caller_id')
    .select(['caller.id', 'caller.name', 'caller.paired_role as role'])
    .where('token_sha256', '=', sha256)
}

function toCaller(
  row: { readonly id: string; readonly name: string; readonly role: Role | null } | undefined,
): Caller | undefined {
  return row?.role == null ? undefined : { id: row.id, name: row.name, role: row.role }
}

/** True if any API token exists. */
export async function hasApiTokens(db: Db): Promise<boolean> {
  const row = await db.selectFrom('api_token').select('caller_id').limit(1).executeTakeFirst()
  return row !== undefined
}

export async function recordApiUse(db: Db, sha256: string): Promise<void> {
  await db
    .updateTable('api_token')
    .set({ last_used_at: now })
    .where('token_sha256', '=', sha256)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', aMinuteAgo)]))
    .execute()
}

/** Program with an API token. */
export interface ApiTokenHolder extends Caller {
  readonly since: Date
  readonly lastUsedAt: Date | null
}

/** Returns all holders of tokens, ordered by id. */
export function findApiTokenHolders(db: Db): Promise<ApiTokenHolder[]> {
  return db
    .selectFrom('api_token')
    .innerJoin('caller', 'caller.id', 'api_token.caller_id')
    .select([
      'caller.id',
      'caller.name',
      'caller.role',
      'api_token.created_at as since',
      'api_token.last_used_at as lastUsedAt',
    ])
    .orderBy('caller.id')
    .execute()
}

/** Deletes a caller's token, and with it the records of what was shown to its holder. */
export async function deleteApiToken(db: Db, callerId: string): Promise<void> {
  await db.deleteFrom('api_token').where('caller_id', '=', callerId).execute()
}
