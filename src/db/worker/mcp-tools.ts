import { type Selectable, sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { McpServerTable, McpToolTable } from '../tables/mcp.ts'
import { ago, heartbeatLimit } from './heartbeat.ts'

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
    | 'worker'
    | 'server'
    | 'state'
    | 'nonce'
    | 'seen_at'
    | 'asked_at'
    | 'offered_at'
    | 'decided_by'
    | 'decided_at'
  >[]
}

/** Milliseconds between two notices to operators about one server. */
const askEveryMs = 600_000

/**
 * Stores what a replica says of a server, unless something later is stored; returns whether it did. Of descriptions that nobody
 * decided on, those that no replica offers any more are forgotten, so that a server that changes them all the time fills nothing
 * (MCP-08).
 */
export async function saveServer(db: Db, { tools, ...report }: ServerReport): Promise<boolean> {
  const { worker, server } = report
  const offered = JSON.stringify(tools.map(({ sha256 }) => sha256))
  const row = { ...report, offered, changed_at: new Date() }
  // While it is away, what it offered last is still what it is known for.
  const { offered: _nothing, ...away } = row
  const change = report.state === 'up' ? row : away
  const saved = await db
    .insertInto('mcp_server')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['worker', 'replica', 'server'])
        .doUpdateSet(change)
        .where('mcp_server.beat', '<', sql<string>`excluded.beat`),
    )
    .returning('server')
    .execute()
  if (saved.length === 0) return false
  if (tools.length > 0) {
    const values = tools.map((tool) => ({
      ...{ ...tool, worker, server, asked_at: null, decided_by: null, decided_at: null },
    }))
    await db
      .insertInto('mcp_tool')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  await db
    .deleteFrom('mcp_tool')
    .where('worker', '=', worker)
    .where('server', '=', server)
    .where('state', '=', sql.lit('waiting'))
    // Those that operators were asked about lately limit how soon they are asked again.
    .where(sql<boolean>`coalesce(asked_at < ${ago(askEveryMs)}, true)`)
    .where(isNotOffered)
    .execute()
  return true
}

const isNotOffered = sql<boolean>`not exists (
  select from mcp_server at where at.worker = mcp_tool.worker and at.server = mcp_tool.server
    and at.offered::jsonb ? mcp_tool.sha256)`

/**
 * Marks the waiting descriptions among these as told to operators. Returns none of them if there is nothing new, or operators were
 * told of others of the server a short while ago.
 */
export function takeUnasked(db: Db, tools: readonly McpToolRow[]): Promise<McpToolRow[]> {
  return db
    .updateTable('mcp_tool')
    .set({ asked_at: sql<Date>`now()` })
    .where(isAmong(tools))
    .where('state', '=', sql.lit('waiting'))
    .where('asked_at', 'is', null)
    .where(sql<boolean>`not exists (
      select from mcp_tool other where other.worker = mcp_tool.worker and other.server = mcp_tool.server
        and other.asked_at > ${ago(askEveryMs)})`)
    .returningAll()
    .execute()
}

/** Deletes descriptions that no replica has offered for `days`; call daily. */
export async function deleteOldTools(db: Db, days: number): Promise<void> {
  await db
    .updateTable('mcp_tool')
    .set({ offered_at: sql<Date>`now()` })
    .where(sql<boolean>`not ${isNotOffered}`)
    .execute()
  await db
    .deleteFrom('mcp_tool')
    .where('offered_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .where(isNotOffered)
    .execute()
}

function isAmong(tools: readonly Pick<McpToolRow, 'worker' | 'server' | 'name' | 'sha256'>[]) {
  const keys = tools.map(
    (tool) => sql`(${sql.join([tool.worker, tool.server, tool.name, tool.sha256])})`,
  )
  return sql<boolean>`(worker, server, name, sha256) in (${sql.join(keys)})`
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
    .where('at.state', '=', sql.lit('up'))
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

/**
 * Decides on descriptions, by their digests; returns those whose state has changed. An approved description replaces those of the
 * tool that are not offered at the moment: a server that goes back to one of them asks again (MCP-01).
 */
export async function decideTools(
  db: Db,
  tools: readonly Pick<McpToolRow, 'worker' | 'server' | 'name' | 'sha256'>[],
  { state, by }: { readonly state: 'approved' | 'refused'; readonly by: string },
): Promise<McpToolRow[]> {
  const decided = await db
    .updateTable('mcp_tool')
    .set({ state, decided_by: by, decided_at: sql<Date>`now()` })
    .where('state', '<>', state)
    .where(isAmong(tools))
    .returningAll()
    .execute()
  const names = decided.map((tool) => sql`(${sql.join([tool.worker, tool.server, tool.name])})`)
  if (state === 'approved' && names.length > 0)
    await db
      .updateTable('mcp_tool')
      .set({ state: 'waiting', asked_at: null })
      .where('state', '=', sql.lit('approved'))
      .where(sql<boolean>`(worker, server, name) in (${sql.join(names)})`)
      .where(isNotOffered)
      .execute()
  return decided
}
