import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'

/** Where migrations are. */
export interface MigrateOptions {
  /** The project's own `migrations` by default. */
  readonly directory?: string
}

/**
 * Brings the database to the newest step, all or nothing, and answers the names of the steps it took, oldest first.
 * Several processes may call it at once: one works, the others wait for it. Throws with the name of the step that failed.
 */
export async function migrateToLatest<T>(
  db: Kysely<T>,
  { directory = ownMigrations }: MigrateOptions = {},
): Promise<readonly string[]> {
  const provider = { getMigrations: () => readMigrations(directory) }
  const { error, results = [] } = await new Migrator({ db, provider }).migrateToLatest()
  if (error === undefined) return results.map(({ migrationName }) => migrationName)
  const failed = results.find(({ status }) => status === 'Error')
  const said = error instanceof Error ? error.message : String(error)
  const name = failed === undefined ? 'migrations' : `migration ${failed.migrationName}`
  throw new Error(`${name} failed: ${said}`, { cause: error })
}

const ownMigrations = fileURLToPath(new URL('../../migrations', import.meta.url))

async function readMigrations(directory: string): Promise<Record<string, Migration>> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.ts')).sort()
  const entries = files.map(async (file) => [basename(file, '.ts'), await load(directory, file)])
  return Object.fromEntries(await Promise.all(entries))
}

/** Steps are named by time, and go only upward: what a step did is undone by another step. */
async function load(directory: string, file: string): Promise<Migration> {
  if (!/^\d{8}T\d{6}-[a-z0-9-]+\.ts$/.test(file)) {
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
