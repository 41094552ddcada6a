import { type RawBuilder, sql } from 'kysely'
import type { Caller, Role } from '../../domain/caller.ts'
import type { Db } from '../schema.ts'

/** Makes the caller known, or brings name and role up to date. What a pairing gave stays. */
export async function saveCaller(db: Db, caller: Caller): Promise<void> {
  await db
    .insertInto('caller')
    .values({ id: caller.id, name: caller.name, role: caller.role })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name: caller.name, role: caller.role }),
    )
    .execute()
}

/** Stores the role that a pairing gives; makes the caller known. */
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

/** Takes away what a pairing gave; `role` is what is left. */
export async function endPairing(db: Db, id: string, role: Role): Promise<void> {
  await db.updateTable('caller').set({ paired_role: null, role }).where('id', '=', id).execute()
}

/** Those of these ids that are callers. */
export async function findCallersAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('caller')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return rows.map(({ id }) => id)
}

/** The caller as stored; undefined for a stranger. */
export async function findCaller(db: Db, id: string): Promise<Caller | undefined> {
  return db
    .selectFrom('caller')
    .select(['id', 'name', 'role'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A caller with the role that a pairing gave, if one did. */
export interface KnownCaller extends Caller {
  readonly pairedRole: Role | null
  /** When they became known. */
  readonly since: Date
}

export async function findKnownCaller(db: Db, id: string): Promise<KnownCaller | undefined> {
  return selectKnown(db).where('id', '=', id).executeTakeFirst()
}

/** Everybody that was paired, and whoever of these ids is known; in the order of their ids. */
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

/** Everybody of a platform who ever might talk. */
export async function findCallerIds(db: Db, platform: string): Promise<string[]> {
  const rows = await db
    .selectFrom('caller')
    .select('id')
    .where(sql<boolean>`starts_with(id, ${`${platform}:`})`)
    .execute()
  return rows.map(({ id }) => id)
}

/** How many of a platform's people have a role by pairing. */
export async function countPaired(db: Db, platform: string): Promise<number> {
  const { paired } = await db
    .selectFrom('caller')
    .select((eb) => eb.fn.countAll<number>().as('paired'))
    .where('paired_role', 'is not', null)
    .where(sql<boolean>`starts_with(id, ${`${platform}:`})`)
    .executeTakeFirstOrThrow()
  return paired
}

/** Letters and digits of a name alone: what else is in it may not show. */
function folded(name: RawBuilder<string>) {
  return sql<string>`lower(regexp_replace(${name}, '[^[:alnum:]]+', '', 'g'))`
}

/** Whether somebody else goes by a name that reads like this one. */
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

function selectKnown(db: Db) {
  return db
    .selectFrom('caller')
    .select(['id', 'name', 'role', 'paired_role as pairedRole', 'created_at as since'])
}

/** What people call a caller; the id where no name is known. */
export async function nameOf(db: Db, id: string): Promise<string> {
  return (await findCaller(db, id))?.name ?? id
}
