import { sql } from 'kysely'
import type { Db } from '../schema.ts'

export interface FoundPermissions {
  readonly version: number
  /** null if the version is the known one. */
  readonly text: string | null
}

/** Reads a worker's rules; the text only if the version is not `known`. */
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

/** True if the database is new enough to have the table. */
export async function hasPermissionsTable(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('worker_permissions') is not null as there`.execute(db)
  return rows[0]?.there === true
}

/** Inserts a worker's rules unless they exist. */
export async function seedPermissions(db: Db, worker: string, text: string): Promise<void> {
  await db
    .insertInto('worker_permissions')
    .values({ worker, text, updated_by: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface ChangedPermissions {
  readonly worker: string
  /** Version that the change is based on. */
  readonly version: number
  readonly text: string
  readonly by: string | null
}

/** Replaces a worker's rules; false if their version has changed. */
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
