import { sql } from 'kysely'
import type { Db } from '../schema.ts'

export interface FoundPermissions {
  readonly version: number
  /** Null: the version is the one that is known. */
  readonly text: string | null
}

/** A worker's rules, by one look-up of one row; the text only where the version is not `known`. */
export function findPermissions(
  db: Db,
  worker: string,
  known = 0,
): Promise<FoundPermissions | undefined> {
  return db
    .selectFrom('worker_permissions')
    .select((eb) => [
      'version',
      eb
        .case()
        .when('version', '=', known)
        .then(sql<null>`null`)
        .else(eb.ref('text'))
        .end()
        .as('text'),
    ])
    .where('worker', '=', worker)
    .executeTakeFirst()
}

/** Whether the database is new enough to have the table. */
export async function keepsPermissions(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('worker_permissions') is not null as there`.execute(db)
  return rows[0]?.there === true
}

/** Makes a worker's rules, unless somebody else was first. */
export async function seedPermissions(db: Db, worker: string, text: string): Promise<void> {
  await db
    .insertInto('worker_permissions')
    .values({ worker, text, updated_by: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface ChangedPermissions {
  readonly worker: string
  /** That the change was made from. */
  readonly version: number
  readonly text: string
  readonly by: string | null
}

/** Replaces a worker's rules; false: they have another version by now. */
export async function replacePermissions(
  db: Db,
  { worker, version, text, by }: ChangedPermissions,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('worker_permissions')
    .set({ text, updated_by: by })
    .where('worker', '=', worker)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
