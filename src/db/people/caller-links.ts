import { newId } from '../../util/ids.ts'
import type { Db } from '../schema.ts'

/** Returns all linked accounts of a person, including the given one. */
export async function findAccounts(db: Db, callerId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('caller_link as own')
    .innerJoin('caller_link as other', 'other.person', 'own.person')
    .select('other.caller_id')
    .where('own.caller_id', '=', callerId)
    .execute()
  return new Set([callerId, ...rows.map((row) => row.caller_id)])
}

/** True if both accounts currently belong to one person. */
export async function isSamePerson(db: Db, one: string, other: string): Promise<boolean> {
  return one === other || (await findAccounts(db, one)).has(other)
}

/** Maps an account to its person. An account without links is its own person. */
export type PersonOf = (callerId: string) => string

/** Reads all links for many lookups. */
export async function readPeople(db: Db): Promise<PersonOf> {
  const rows = await db.selectFrom('caller_link').select(['caller_id', 'person']).execute()
  const people = new Map(rows.map(({ caller_id, person }) => [caller_id, person]))
  return (callerId) => people.get(callerId) ?? callerId
}

/** Links two accounts and everything linked to either; false if they already were. Call under the pairing lock. */
export async function linkAccounts(
  db: Db,
  [one, other]: readonly [string, string],
  linkedBy: string,
): Promise<boolean> {
  const known = await db
    .selectFrom('caller_link')
    .select(['caller_id', 'person'])
    .where('caller_id', 'in', [one, other])
    .execute()
  const [person = newId(), second] = new Set(known.map((row) => row.person))
  if (known.length === 2 && second === undefined) return false
  if (second !== undefined) {
    await db.updateTable('caller_link').set({ person }).where('person', '=', second).execute()
  }
  await db
    .insertInto('caller_link')
    .values([one, other].map((caller_id) => ({ caller_id, person, linked_by: linkedBy })))
    .onConflict((conflict) => conflict.column('caller_id').doNothing())
    .execute()
  return true
}

/** Unlinks an account; returns the accounts that it was linked to. Call under the pairing lock. */
export async function unlinkAccount(db: Db, callerId: string): Promise<readonly string[]> {
  const others = [...(await findAccounts(db, callerId))].filter((id) => id !== callerId)
  const alone = others.length === 1 ? others : []
  await db
    .deleteFrom('caller_link')
    .where('caller_id', 'in', [callerId, ...alone])
    .execute()
  return others
}

export interface LinkedAccount {
  readonly callerId: string
  readonly person: string
  readonly linkedBy: string
  readonly linkedAt: Date
}

/** Returns all linked accounts, grouped by person. */
export function findLinkedAccounts(db: Db): Promise<LinkedAccount[]> {
  return db
    .selectFrom('caller_link')
    .select(['caller_id as callerId', 'person', 'linked_by as linkedBy', 'linked_at as linkedAt'])
    .orderBy('person')
    .orderBy('linked_at')
    .orderBy('caller_id')
    .execute()
}
