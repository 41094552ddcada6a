import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

export interface Migrations {
  /** Steps of this version that the database lacks, oldest first. */
  readonly missing: readonly string[]
  /** Steps that only a newer version knows. */
  readonly unknown: readonly string[]
}

/** How the database differs from what this version makes of it; changes nothing. */
export async function pendingMigrations(db: Db): Promise<Migrations> {
  const files = await readdir(fileURLToPath(new URL('../../migrations', import.meta.url)))
  const steps = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => basename(file, '.ts'))
    .sort()
  const done = new Set(await doneSteps(db))
  const known = new Set(steps)
  return {
    missing: steps.filter((step) => !done.has(step)),
    unknown: [...done].filter((step) => !known.has(step)),
  }
}

async function doneSteps(db: Db): Promise<readonly string[]> {
  const table = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db)
  if (table.rows[0]?.there !== true) return []
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}
