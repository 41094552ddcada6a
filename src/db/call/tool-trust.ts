import { type Selectable, sql } from 'kysely'
import type { ToolTrust, TrustLevel } from '../../domain/trust.ts'
import { lockByName } from '../locks.ts'
import type { Db } from '../schema.ts'
import type { ToolTrustTable } from '../tables/trust.ts'

export type ToolTrustRow = Selectable<ToolTrustTable>

/** The levels of tools that are not just trusted. */
export async function findTrust(db: Db): Promise<ToolTrust> {
  const rows = await db
    .selectFrom('tool_trust')
    .select(['tool', 'level'])
    .where('level', '<>', 'trusted')
    .orderBy('tool')
    .execute()
  return new Map(rows.map(({ tool, level }) => [tool, level]))
}

/** Every tool whose level somebody has set, by name. */
export function findAllTrust(db: Db): Promise<readonly ToolTrustRow[]> {
  return db.selectFrom('tool_trust').selectAll().orderBy('tool').execute()
}

/** Held by whoever changes a tool's level or counts its failures, until their transaction ends. */
export function lockTrust(db: Db, tool: string): Promise<void> {
  return lockByName(db, `trust of ${tool}`)
}

/** Sets a level; answers the one that held before. */
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
