import { type Selectable, sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { McpServerTable, McpToolTable } from '../tables/mcp.ts'
import { heartbeatLimit } from './heartbeat.ts'

export type McpServerRow = Selectable<McpServerTable>
export type McpToolRow = Selectable<McpToolTable>

/** Message of a replica about one server. */
export interface ServerReport {
  readonly worker: string
  readonly replica: string
  readonly server: string
  readonly beat: number
  readonly title: string
  readonly launch: string
  readonly state: 'up' | 'away'
  readonly note: string | null
  readonly timeout_ms: number
  readonly tools: readonly Omit<
    McpToolRow,
    'worker' | 'server' | 'state' | 'seen_at' | 'decided_by' | 'decided_at'
  >[]
}

/**
 * Stores what a replica says of a server, unless something later is stored. Returns the descriptions that nobody had seen, or
 * undefined if nothing was stored.
 */
export async function saveServer(
  db: Db,
  { tools, ...report }: ServerReport,
): Promise<readonly McpToolRow[] | undefined> {
  const { worker, server } = report
  const offered = JSON.stringify(tools.map(({ sha256 }) => sha256))
  const row = { ...report, offered, changed_at: new Date() }
  const saved = await db
    .insertInto('mcp_server')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['worker', 'replica', 'server'])
        .doUpdateSet(row)
        .where('mcp_server.beat', '<', sql<string>`excluded.beat`),
    )
    .returning('server')
    .execute()
  if (saved.length === 0) return undefined
  if (tools.length === 0) return []
  return db
    .insertInto('mcp_tool')
    .values(tools.map((tool) => ({ ...tool, worker, server, decided_by: null, decided_at: null })))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute()
}

/** A description that a living replica's server offers at the moment. */
export type OfferedTool = McpToolRow & Pick<McpServerRow, 'timeout_ms'>

/** Returns what servers offer at the moment, of all workers or one, ordered by name. */
export function findOffered(db: Db, worker?: string): Promise<OfferedTool[]> {
  return db
    .selectFrom('mcp_tool as tool')
    .innerJoin('mcp_server as at', (join) =>
      join.onRef('at.worker', '=', 'tool.worker').onRef('at.server', '=', 'tool.server'),
    )
    .innerJoin('worker', (join) =>
      join.onRef('worker.name', '=', 'at.worker').onRef('worker.replica', '=', 'at.replica'),
    )
    .where('worker.seen_at', '>', heartbeatLimit)
    .where(sql<boolean>`at.offered::jsonb ? tool.sha256`)
    .$if(worker !== undefined, (query) => query.where('tool.worker', '=', worker ?? ''))
    .selectAll('tool')
    .select('at.timeout_ms')
    .distinctOn(['tool.worker', 'tool.server', 'tool.name', 'tool.sha256'])
    .orderBy('tool.worker')
    .orderBy('tool.server')
    .orderBy('tool.name')
    .orderBy('tool.sha256')
    .execute()
}

/** Returns the servers of living replicas, of all workers or one. */
export function findServers(db: Db, worker?: string): Promise<McpServerRow[]> {
  return db
    .selectFrom('mcp_server as at')
    .innerJoin('worker', (join) =>
      join.onRef('worker.name', '=', 'at.worker').onRef('worker.replica', '=', 'at.replica'),
    )
    .where('worker.seen_at', '>', heartbeatLimit)
    .$if(worker !== undefined, (query) => query.where('at.worker', '=', worker ?? ''))
    .selectAll('at')
    .orderBy('at.worker')
    .orderBy('at.server')
    .execute()
}

/** Returns the last description of a tool that an operator approved, other than this one. */
export function findApprovedBefore(
  db: Db,
  { worker, server, name, sha256 }: Pick<McpToolRow, 'worker' | 'server' | 'name' | 'sha256'>,
): Promise<McpToolRow | undefined> {
  return db
    .selectFrom('mcp_tool')
    .selectAll()
    .where('worker', '=', worker)
    .where('server', '=', server)
    .where('name', '=', name)
    .where('sha256', '<>', sha256)
    .where('state', '=', sql.lit('approved'))
    .orderBy('decided_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Decides on descriptions, by their digests; returns those whose state has changed. */
export function decideTools(
  db: Db,
  tools: readonly Pick<McpToolRow, 'worker' | 'server' | 'name' | 'sha256'>[],
  decision: { readonly state: 'approved' | 'refused'; readonly by: string },
): Promise<McpToolRow[]> {
  const keys = tools.map((tool) => [tool.worker, tool.server, tool.name, tool.sha256])
  return db
    .updateTable('mcp_tool')
    .set({ state: decision.state, decided_by: decision.by, decided_at: sql<Date>`now()` })
    .where('state', '<>', decision.state)
    .where(
      sql<boolean>`(worker, server, name, sha256) in (${sql.join(keys.map((key) => sql`(${sql.join(key)})`))})`,
    )
    .returningAll()
    .execute()
}
