import type { Db } from '../../../db/schema.ts'
import {
  findPermissions,
  replacePermissions,
  seedPermissions,
} from '../../../db/worker/worker-permissions.ts'
import { assertRulesText, assertWorkerName } from '../../../domain/rules-text.ts'
import type { PermissionsStore } from '../../../ports/permissions-store.ts'

export interface RowPermissionsOptions {
  /** The text that this worker starts with; asked for only where it has none. */
  readonly seed: (worker: string) => Promise<string>
}

/** A store over this connection or transaction. */
export type PermissionsOver = (db: Db) => PermissionsStore

interface Kept {
  readonly version: number
  readonly text: string
}

/**
 * GATE-04: rules as a row of `worker_permissions`. Every load asks for the row's version, and gets the text only when that is
 * new, so that an edit counts in every process as soon as it is committed. What was read is shared by all stores of the answer.
 */
export function createRowPermissions(options: RowPermissionsOptions): PermissionsOver {
  const cache = new Map<string, Kept>()
  return (db) => ({
    describe: describePermissionsRow,
    async load(worker) {
      const found = (await read(db, cache, worker)) ?? (await seed(db, cache, worker, options))
      return toLoaded(found)
    },
    async save(worker, version, text, by) {
      assertWorkerName(worker)
      assertRulesText(text)
      const read = Number(version)
      if (!Number.isSafeInteger(read)) return false
      return await replacePermissions(db, { worker, version: read, text, by: by ?? null })
    },
  })
}

/** What people are told instead of a path. */
export function describePermissionsRow(worker: string): string {
  assertWorkerName(worker)
  return `the rules of worker "${worker}" in the database`
}

async function read(db: Db, cache: Map<string, Kept>, worker: string): Promise<Kept | undefined> {
  assertWorkerName(worker)
  const known = cache.get(worker)
  const found = await findPermissions(db, worker, known?.version)
  if (found === undefined) return undefined
  if (found.text === null) return known
  const kept = { version: found.version, text: found.text }
  cache.set(worker, kept)
  return kept
}

async function seed(
  db: Db,
  cache: Map<string, Kept>,
  worker: string,
  options: RowPermissionsOptions,
): Promise<Kept> {
  const text = await options.seed(worker)
  assertRulesText(text)
  await seedPermissions(db, worker, text)
  const made = await read(db, cache, worker)
  if (made === undefined) throw new Error(`the rules of worker "${worker}" vanished at once`)
  return made
}

function toLoaded({ version, text }: Kept): { readonly text: string; readonly version: string } {
  return { text, version: String(version) }
}
