import type { Kysely } from 'kysely'
import { isRestoreUnfinished } from '../backup/unfinished-restore.ts'
import type { Lineage, OtherLineage } from './compare-lineage.ts'

/** A database that this version cannot work on: another version or another line of development made it. In words for people. */
export class LineageError extends Error {
  override name = 'LineageError'
}

/** Throws a LineageError unless the database can be brought to this version. Answers the steps that it lacks. */
export function assertOurs(lineage: Lineage): readonly string[] {
  if (lineage.kind === 'ours') return lineage.missing
  if (lineage.kind === 'unfinished') throw new LineageError(unfinished)
  throw new LineageError(lineage.kind === 'newer' ? newer(lineage.unknown) : other(lineage))
}

/** Throws a LineageError where a restore into the database has begun and not ended. */
export async function assertRestoreEnded<T>(db: Kysely<T>): Promise<void> {
  if (await isRestoreUnfinished(db)) throw new LineageError(unfinished)
}

const unfinished =
  'a restore into this database was broken off, so it holds only part of the backup: run countersign restore again'

function newer(unknown: readonly string[]): string {
  return `the database is of a newer version, which took the step ${unknown.at(-1)}: start that version`
}

function other({ unknown, skipped, changed }: OtherLineage): string {
  const differences = [
    listed('it took steps that this version does not have', unknown),
    listed('it lacks steps that this version takes before others it has', skipped),
    listed('it took earlier forms of', changed),
  ]
  return [
    'the database was made by another line of versions, and no step leads from there to this version:',
    ...differences.filter((line) => line !== undefined),
    'Nothing was changed. To go on, start the version that made it; or take the data along:',
    '  countersign backup old.tar.gz                  reads this database as it is',
    '  countersign restore --by-column old.tar.gz     into a new data directory or an empty database',
    'docs/operating.md, "Upgrading", says what is taken along.',
  ].join('\n')
}

function listed(words: string, steps: readonly string[]): string | undefined {
  if (steps.length === 0) return undefined
  const more = steps.length > 3 ? ` and ${steps.length - 3} more` : ''
  return `  ${words}: ${steps.slice(0, 3).join(', ')}${more}`
}
