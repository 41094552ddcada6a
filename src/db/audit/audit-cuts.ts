import type { Db } from '../schema.ts'

/** Keeps what is dropped, signed. */
export async function insertCut(
  db: Db,
  cut: { at: Date; body: string; kid: string; signature: string },
): Promise<void> {
  await db.insertInto('audit_cut').values(cut).execute()
}

/** Signed cuts, the oldest first, a window at a time: each may name every chain of a month. */
export function findCuts(db: Db, afterId: number, limit: number) {
  return db
    .selectFrom('audit_cut')
    .selectAll()
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}
