import { type Lineage, type OtherLineage, readLineage } from '../../db/lineage/compare-lineage.ts'
import { migrationNames } from '../../db/migrate.ts'
import type { Db } from '../../db/schema.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Whether the tables are those of this version. */
export async function checkMigrations(db: Db): Promise<Finding> {
  return toFinding(await readLineage(db, await migrationNames()))
}

function toFinding(lineage: Lineage): Finding {
  if (lineage.kind === 'newer') {
    const finding = `the database is of a newer version (${lineage.unknown.at(-1)})`
    return fail('migrations', finding, 'install the version that was here before')
  }
  if (lineage.kind === 'unfinished') {
    return fail('migrations', 'a restore was broken off', 'run countersign restore again')
  }
  if (lineage.kind === 'other') {
    const finding = `the database was made by another line of versions (${firstDifference(lineage)})`
    return fail(
      'migrations',
      finding,
      'run countersign migrate: it says how to take the data along',
    )
  }
  const { missing } = lineage
  if (missing.length === 0) return ok('migrations', 'up to date')
  const finding = `${missing.length} to do, the first is ${missing[0]}`
  return warn('migrations', finding, 'run countersign migrate; start does it too')
}

function firstDifference({ unknown, skipped, changed }: OtherLineage): string | undefined {
  return [...unknown, ...skipped, ...changed][0]
}
