import { sql } from 'kysely'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Db } from '../schema.ts'

const now = sql<Date>`now()`
/** Last use is told to the minute: not every request is a write. */
const aMinuteAgo = sql<Date>`now() - interval '1 minute'`

/** Makes a token known; its caller must be. False: that caller has one already. */
export async function insertApiToken(db: Db, sha256: string, callerId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('api_token')
    .values({ token_sha256: sha256, caller_id: callerId })
    .onConflict((conflict) => conflict.column('caller_id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}

/** Whose token it is, with the role in force now; undefined: nobody's, or somebody's who has no role any more. */
export async function findApiCaller(db: Db, sha256: string): Promise<Caller | undefined> {
  return toCaller(await selectCaller(db, sha256).executeTakeFirst())
}

/** The same within a transaction, until whose end the token cannot be revoked. */
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

/** Whether anybody has a token. */
export async function hasApiTokens(db: Db): Promise<boolean> {
  const row = await db.selectFrom('api_token').select('caller_id').limit(1).executeTakeFirst()
  return row !== undefined
}

export async function noteApiUse(db: Db, sha256: string): Promise<void> {
  await db
    .updateTable('api_token')
    .set({ last_used_at: now })
    .where('token_sha256', '=', sha256)
    .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', aMinuteAgo)]))
    .execute()
}

/** A program that has a token. */
export interface ApiTokenHolder extends Caller {
  readonly since: Date
  readonly lastUsedAt: Date | null
}

/** Everybody that has a token, in the order of their ids. */
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

/** Ends the token of a caller, if there is one, and with it that anything was shown to its holder. */
export async function deleteApiToken(db: Db, callerId: string): Promise<void> {
  await db.deleteFrom('api_token').where('caller_id', '=', callerId).execute()
}
