import type { Db } from '../schema.ts'

/** SCH-02: stores the tools that a turn shows from its next step on. Call under the session's lock. */
export async function saveShownTools(db: Db, id: string, shown: string): Promise<void> {
  await db.updateTable('turn').set({ shown_tools: shown }).where('id', '=', id).execute()
}
