import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Schema } from '../schema.ts'

type UsernamePin = Selectable<Schema['username_pin']>

/** Assigns a username, in lower case, to an account permanently; false if it already belongs to one. */
export async function pinUsername(
  db: Db,
  platform: string,
  username: string,
  callerId: string,
): Promise<boolean> {
  const made = await db
    .insertInto('username_pin')
    .values({ platform, username, caller_id: callerId })
    .onConflict((conflict) => conflict.columns(['platform', 'username']).doNothing())
    .returning('username')
    .executeTakeFirst()
  return made !== undefined
}

/** Removes a username from the account that has it. */
export async function releaseUsername(
  db: Db,
  platform: string,
  username: string,
  callerId: string,
): Promise<void> {
  await db
    .deleteFrom('username_pin')
    .where('platform', '=', platform)
    .where('username', '=', username)
    .where('caller_id', '=', callerId)
    .execute()
}

/** Returns the account that has a username. */
export async function findPin(
  db: Db,
  platform: string,
  username: string,
): Promise<string | undefined> {
  const pin = await selectPins(db, platform).where('username', '=', username).executeTakeFirst()
  return pin?.caller_id
}

/** Returns the usernames of an account. */
export async function findUsernames(
  db: Db,
  platform: string,
  callerId: string,
): Promise<ReadonlySet<string>> {
  const pins = await selectPins(db, platform).where('caller_id', '=', callerId).execute()
  return new Set(pins.map(({ username }) => username))
}

export function findAllPins(db: Db, platform: string): Promise<UsernamePin[]> {
  return selectPins(db, platform).execute()
}

function selectPins(db: Db, platform: string) {
  return db.selectFrom('username_pin').selectAll().where('platform', '=', platform)
}

/** Folds a name to its lower-case letters and digits, since other characters may be invisible. */
function folded(name: RawBuilder<string>) {
  return sql<string>`lower(regexp_replace(${name}, '[^[:alnum:]]+', '', 'g'))`
}

/** True if another caller has a name that reads the same. */
export async function isNameTaken(db: Db, name: string, id: string): Promise<boolean> {
  const other = await db
    .selectFrom('caller')
    .select('id')
    .where(sql<boolean>`${folded(sql.ref('name'))} = ${folded(sql`${name}::text`)}`)
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}
