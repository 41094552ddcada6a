import { type Selectable, sql } from 'kysely'
import type { ToolTrust, TrustLevel } from '../../domain/trust.ts'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import type { ToolTrustTable } from '../tables/trust.ts'

export type ToolTrustRow = Selectable<ToolTrustTable>

/** Returns the trust levels of all tools that are not `trusted`. */
export async function findTrust(db: Db): Promise<ToolTrust> {
  return toTrust(await selectTrust(db).execute())
}

/** The same, to be part of a statement; `toTrust` reads its rows. */
export function selectTrust(db: Db) {
  return db
    .selectFrom('tool_trust')
    .select(['tool', 'level'])
    .where('level', '<>', sql.lit('trusted'))
    .orderBy('tool')
}

export function toTrust(rows: readonly Pick<ToolTrustRow, 'tool' | 'level'>[]): ToolTrust {
  return new Map(rows.map(({ tool, level }) => [tool, level]))
}

/** Returns every tool whose level was ever set, ordered by name. */
export function findAllTrust(db: Db): Promise<readonly ToolTrustRow[]> {
  return db.selectFrom('tool_trust').selectAll().orderBy('tool').execute()
}

/** Locks the trust of a tool until the transaction ends, for changes of its level and counts of its failures. */
export function lockTrust(db: Db, tool: string): Promise<void> {
  return lockByName(db, `trust of ${tool}`)
}

/** Sets the level of a tool; returns the previous one. */
export async function setTrust(
  db: Db,
  trust: Pick<ToolTrustRow, 'tool' | 'level' | 'set_by' | 'reason'>,
): Promise<TrustLevel> {
  const { tool, ...change } = trust
  const before = await db
    .selectFrom('tool_trust')
    .select('level')
    .where('tool', '=', tool)
    .executeTakeFirst()
  await db
    .insertInto('tool_trust')
    .values(trust)
    .onConflict((conflict) =>
      conflict.column('tool').doUpdateSet({ ...change, set_at: sql<Date>`now()` }),
    )
    .execute()
  return before?.level ?? 'trusted'
}
