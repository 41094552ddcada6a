import { sql } from 'kysely'
import type { AgentRow, Db } from './schema.ts'

/** An agent says so every 5 s; one whose last word is older than this is taken for dead. */
const heardOf = sql<Date>`now() - interval '15 seconds'`

/** Notes that an agent lives, and what people should know of it. */
export async function saveAgent(
  db: Db,
  agent: {
    readonly id: string
    readonly model: string
    readonly warnings: readonly string[]
    /** Verifies what it says live; SPKI PEM. */
    readonly liveKey: string
  },
): Promise<void> {
  const { id, model, liveKey: live_key } = agent
  const warnings = JSON.stringify(agent.warnings)
  await db
    .insertInto('agent')
    .values({ id, model, warnings, live_key })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ model, warnings, seen_at: sql`now()` }),
    )
    .execute()
}

/** The key of an agent's live events; undefined: there is no such agent. */
export async function findAgentKey(db: Db, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent')
    .select('live_key')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.live_key
}

/** The agents that live, the last heard of first. */
export function findLiveAgents(db: Db): Promise<AgentRow[]> {
  return db
    .selectFrom('agent')
    .selectAll()
    .where('seen_at', '>', heardOf)
    .orderBy('seen_at', 'desc')
    .execute()
}

/** Removes an agent that says farewell. */
export async function deleteAgent(db: Db, id: string): Promise<void> {
  await db.deleteFrom('agent').where('id', '=', id).execute()
}

/** Removes those that nobody has heard of for an hour: they ended without a farewell. */
export async function deleteLostAgents(db: Db): Promise<void> {
  await db.deleteFrom('agent').where('seen_at', '<', sql<Date>`now() - interval '1 hour'`).execute()
}
