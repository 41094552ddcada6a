import type { Db } from '../schema.ts'

/** Stores the signed record of deleted rows. */
export async function insertCut(
  db: Db,
  cut: { at: Date; body: string; kid: string; signature: string },
): Promise<void> {
  await db.insertInto('audit_cut').values(cut).execute()
}

/** Returns signed cuts after an id, oldest first. Each may name every chain of a month, so they are read in pages. */
export function findCuts(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('audit_cut')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}
