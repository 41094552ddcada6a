import { readdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { assertOurs, doneSteps, readLineage, readSteps } from './lineage/compare-lineage.ts'
import { former, presentSteps, renamed, squashed } from './lineage/history.ts'

/** Where migrations are, and how far to go. */
export interface MigrateOptions {
  /** The project's own `migrations` by default. */
  readonly directory?: string
  /** The only steps to take; all of the directory by default. */
  readonly steps?: readonly string[]
  /** It is a restore that asks: the one that is under way in this database. */
  readonly isRestore?: boolean
  /** Is told in a sentence what was done beside taking steps. */
  readonly note?: (sentence: string) => void
}

/**
 * Brings the database to the newest step, all or nothing, and answers the names of the steps it took, oldest first.
 * Several processes may call it at once: one works, the others wait for it. Throws a LineageError where the database is of
 * another lineage, else an error with the name of the step that failed.
 */
export async function migrateToLatest<T>(
  db: Kysely<T>,
  { directory = ownMigrations, steps, isRestore, note = () => undefined }: MigrateOptions = {},
): Promise<readonly string[]> {
  const known = (await migrationNames(directory)).filter((step) => steps?.includes(step) ?? true)
  const missing = assertOurs(await (isRestore === true ? readSteps : readLineage)(db, known))
  for (const sentence of await updateNames(db)) note(sentence)
  // The migrator would look through the whole catalogue and load every step, 150 ms of each start.
  if (missing.length === 0 && known.length > 0) return []
  const provider = { getMigrations: () => readMigrations(directory, known) }
  // The order is checked above, where it can be said in words and history is known.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error === undefined) return results.map(({ migrationName }) => migrationName)
  const failed = results.find(({ status }) => status === 'Error')
  const said = error instanceof Error ? error.message : String(error)
  const name = failed === undefined ? 'migrations' : `migration ${failed.migrationName}`
  throw new Error(`${name} failed: ${said}`, { cause: error })
}

/** The names of the steps in a directory, by default this version's, oldest first. */
export async function migrationNames(directory = ownMigrations): Promise<readonly string[]> {
  const files = await readdir(directory)
  return files
    .filter((file) => stepFile.test(file))
    .map((file) => parse(file).name)
    .sort()
}

const ownMigrations = fileURLToPath(new URL('../../migrations', import.meta.url))
/** TypeScript in the checkout, JavaScript in the bundle. */
const stepFile = /\.[jt]s$/

async function readMigrations(
  directory: string,
  names: readonly string[],
): Promise<Record<string, Migration>> {
  const files = (await readdir(directory)).filter((file) => stepFile.test(file))
  const entries = files
    .map((file) => ({ file, name: parse(file).name }))
    .filter(({ name }) => names.includes(name))
    .map(async ({ file, name }) => [name, await load(directory, file)])
  return Object.fromEntries(await Promise.all(entries))
}

/** Steps are named by time, and go only upward: what a step did is undone by another step. */
async function load(directory: string, file: string): Promise<Migration> {
  if (!/^\d{8}T\d{6}-[a-z0-9-]+\.[jt]s$/.test(file)) {
    throw new Error(`${file} is no name of a migration: 20261121T101500-what-it-does.ts is`)
  }
  const module: unknown = await import(pathToFileURL(join(directory, file)).href)
  if (!isMigration(module)) throw new Error(`${file} exports no function named up`)
  if ('down' in module) throw new Error(`${file} exports down: migrations only go upward`)
  return { up: (db) => module.up(db) }
}

function isMigration(module: unknown): module is Migration {
  return (
    typeof module === 'object' &&
    module !== null &&
    'up' in module &&
    typeof module.up === 'function'
  )
}

/**
 * Gives steps that were renamed or squashed after the database took them their present names, all or none, and answers a sentence
 * about each change.
 */
async function updateNames<T>(db: Kysely<T>): Promise<readonly string[]> {
  const done = await doneSteps(db)
  const present = presentSteps(done)
  if (done.every((step) => present.has(step))) return []
  return await db.transaction().execute(async (transaction) => {
    // Of several that migrate at once the others wait here.
    await sql`lock table kysely_migration in share row exclusive mode`.execute(transaction)
    return [...(await renameSteps(transaction)), ...(await replaceFormer(transaction))]
  })
}

async function renameSteps<T>(db: Kysely<T>): Promise<readonly string[]> {
  const notes: string[] = []
  for (const [before, after] of renamed) {
    const { numAffectedRows = 0n } = await sql`
      update kysely_migration set name = ${after} where name = ${before}`.execute(db)
    if (numAffectedRows > 0n) notes.push(`the step ${before} is called ${after} now`)
  }
  return notes
}

async function replaceFormer<T>(db: Kysely<T>): Promise<readonly string[]> {
  const done = await doneSteps(db)
  if (!former.every((step) => done.includes(step))) return []
  await sql`
    with gone as (
      delete from kysely_migration where name = any(${former}::text[]) returning timestamp
    )
    insert into kysely_migration (name, timestamp)
    select step, (select max(timestamp) from gone) from unnest(${squashed}::text[]) step`.execute(
    db,
  )
  return [
    `the first ${former.length} steps of the database are ${squashed.length} now, which make the same tables`,
  ]
}
