import type { Db } from '../schema.ts'

/** SCH-02: what a turn shows from its next step on. Under the session's lock. */
export async function keepShownTools(db: Db, id: string, shown: string): Promise<void> {
  await db.updateTable('turn').set({ shown_tools: shown }).where('id', '=', id).execute()
}
