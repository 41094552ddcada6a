import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Db } from '../../src/db/schema.ts'
import type { SoakPlace } from './soak-place.ts'

/** What all processes of a place have used so far. */
export interface Used {
  /** Processor time in milliseconds: of all gateways, agents and workers, of PostgreSQL, of Redis. */
  readonly node: number
  readonly postgres: number
  readonly redis: number
  /** Transactions of PostgreSQL, how often it made its log durable, and commands of Redis. */
  readonly transactions: number
  readonly syncs: number
  readonly commands: number
}

/** What Linux counts in: a hundredth of a second, on every platform that Node runs on. */
export const tickMs = 10

export async function usedBy(place: SoakPlace): Promise<Used> {
  const { members, postmaster, redis, database } = place
  const node = members.reduce((sum, { program }) => sum + ticksOf(program.pid).own, 0)
  const postgres = serverTicks(postmaster)
  const info = await redis.info('cpu')
  const seconds = [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].map(([, text]) =>
    Number(text),
  )
  return {
    node: node * tickMs,
    postgres: postgres * tickMs,
    redis: seconds.reduce((sum, each) => sum + each, 0) * 1_000,
    ...(await countsOf(database.db)),
    commands: Number(/^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]),
  }
}

async function countsOf(db: Db) {
  const { rows } = await sql<{ transactions: string; syncs: string }>`
    select xact_commit as transactions,
      (select sum(fsyncs) from pg_stat_io where object = 'wal') as syncs
    from pg_stat_database where datname = current_database()`.execute(db)
  return { transactions: Number(rows[0]?.transactions), syncs: Number(rows[0]?.syncs) }
}

export function since(now: Used, before: Used): Used {
  return {
    node: now.node - before.node,
    postgres: now.postgres - before.postgres,
    redis: now.redis - before.redis,
    transactions: now.transactions - before.transactions,
    syncs: now.syncs - before.syncs,
    commands: now.commands - before.commands,
  }
}

/** Ticks of a PostgreSQL server with all its processes; those that have ended are counted with their parent. */
export function serverTicks(postmaster: number): number {
  const server = ticksOf(postmaster)
  const backends = pids()
    .map(ticksOf)
    .filter(({ parent }) => parent === postmaster)
  return backends.reduce((sum, { own }) => sum + own, server.own + server.ofChildren)
}

/** Fields 4 and 14 to 17 of `/proc/<pid>/stat`; the name before them may hold anything. */
export function ticksOf(pid: number): { parent: number; own: number; ofChildren: number } {
  const fields = textOf(pid).split(') ').at(-1)?.split(' ').slice(1).map(Number) ?? []
  const [parent = 0] = fields
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(10)
  return { parent, own: user + system, ofChildren: childUser + childSystem }
}

function textOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return ''
  }
}

function pids(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}
