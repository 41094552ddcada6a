import { type Kysely, sql } from 'kysely'
import { renamed } from './history.ts'
import { doneSteps } from './read-lineage.ts'

/**
 * Gives steps that the database took under a former name their present one, all or none, and answers a sentence about
 * each. The text of these steps is the same, or what differs is made up for by a later step.
 */
export async function renameSteps<T>(db: Kysely<T>): Promise<readonly string[]> {
  const done = await doneSteps(db)
  if (!done.some((step) => renamed.has(step))) return []
  return await db.transaction().execute(async (transaction) => {
    // Of several that migrate at once the others wait here.
    await sql`lock table kysely_migration in share row exclusive mode`.execute(transaction)
    const notes: string[] = []
    for (const [former, present] of renamed) {
      const { numAffectedRows = 0n } = await sql`
        update kysely_migration set name = ${present} where name = ${former}`.execute(transaction)
      if (numAffectedRows > 0n) notes.push(`the step ${former} is called ${present} now`)
    }
    return notes
  })
}
