import { type Kysely, sql } from 'kysely'
import { isRestoreUnfinished } from '../backup/unfinished-restore.ts'
import { type ComparedLineage, compareLineage, type Lineage } from './compare-lineage.ts'
import { marks } from './history.ts'

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
