import { type Kysely, sql } from 'kysely'
import { isRestoreUnfinished } from '../backup/unfinished-restore.ts'
import { former, marks, mayComeLate, presentSteps } from './history.ts'

/** A database that this version cannot work on: another version or another line of development made it. In words for people. */
export class LineageError extends Error {
  override name = 'LineageError'
}

const unfinished =
  'a restore into this database was broken off, so it holds only part of the backup: run countersign restore again'

/** Relation between the migrations of a database and those of this version. Names are ordered oldest first. */
export type Lineage =
  /** The database can be migrated to this version by the migrations in `missing`; it is up to date if there are none. */
  | { readonly kind: 'ours'; readonly missing: readonly string[] }
  /** A later version of this program applied the migrations in `unknown`. */
  | { readonly kind: 'newer'; readonly unknown: readonly string[] }
  /** A restore into the database has not finished. */
  | { readonly kind: 'unfinished' }
  | OtherLineage

/** The database has migrations that this version lacks, in another order, or with other contents under the same name. */
export interface OtherLineage {
  readonly kind: 'other'
  /** Applied migrations that this version does not know. */
  readonly unknown: readonly string[]
  /** Migrations of this version that the database lacks although it has later ones. */
  readonly skipped: readonly string[]
  /** Migrations whose content was different when the database applied them. */
  readonly changed: readonly string[]
}

/** Input of compareLineage. */
interface LineageFacts {
  /** Migrations of this version, in order. */
  readonly known: readonly string[]
  /** Migrations of the database, under the names with which they were applied. */
  readonly done: readonly string[]
  readonly changed?: readonly string[]
}

/** Result that follows from the migrations alone. */
type ComparedLineage = Exclude<Lineage, { readonly kind: 'unfinished' }>

/** Compares steps by name alone; steps that were renamed or squashed count under their present names. */
export function compareLineage({ known, done, changed = [] }: LineageFacts): ComparedLineage {
  const taken = presentSteps(done)
  const started = former.filter((step) => taken.has(step))
  if (started.length > 0) {
    const skipped = former.filter((step) => !taken.has(step))
    return { kind: 'other', unknown: [], skipped, changed }
  }
  const missing = known.filter((step) => !taken.has(step))
  const unknown = [...taken].filter((step) => !known.includes(step)).sort()
  const skipped = missing.filter((step) => isSkipped(step, taken))
  if (skipped.length > 0 || changed.length > 0) return { kind: 'other', unknown, skipped, changed }
  if (unknown.length === 0) return { kind: 'ours', missing }
  const newest = known.at(-1) ?? ''
  const isNewer = missing.length === 0 && unknown.every((step) => step > newest)
  return isNewer ? { kind: 'newer', unknown } : { kind: 'other', unknown, skipped, changed }
}

function isSkipped(step: string, taken: ReadonlySet<string>): boolean {
  return !mayComeLate.has(step) && [...taken].some((later) => later > step)
}

/** Reads which steps the database took and compares them with those of this version, `known`; changes nothing. */
export async function readLineage<T>(db: Kysely<T>, known: readonly string[]): Promise<Lineage> {
  if (await isRestoreUnfinished(db)) return { kind: 'unfinished' }
  return await readSteps(db, known)
}

/** The same for a restore that is under way. */
export async function readSteps<T>(
  db: Kysely<T>,
  known: readonly string[],
): Promise<ComparedLineage> {
  const done = await doneSteps(db)
  return compareLineage({ known, done, changed: await changedSteps(db, done) })
}

/** The steps that the database took, in the order in which it took them; none where no step was ever taken. */
export async function doneSteps<T>(db: Kysely<T>): Promise<readonly string[]> {
  if (!(await hasRelation(db, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by timestamp, name`.execute(db)
  return rows.map(({ name }) => name)
}

async function changedSteps<T>(db: Kysely<T>, done: readonly string[]): Promise<readonly string[]> {
  const changed: string[] = []
  for (const { step, relation } of marks) {
    if (done.includes(step) && !(await hasRelation(db, relation))) changed.push(step)
  }
  return changed
}

async function hasRelation<T>(db: Kysely<T>, name: string): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(${name}) is not null as there`.execute(db)
  return rows[0]?.there === true
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
    'docs/how-to/operate.md, "Upgrading", says what is taken along.',
  ].join('\n')
}

function listed(words: string, steps: readonly string[]): string | undefined {
  if (steps.length === 0) return undefined
  const more = steps.length > 3 ? ` and ${steps.length - 3} more` : ''
  return `  ${words}: ${steps.slice(0, 3).join(', ')}${more}`
}
