import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { sql } from 'kysely'
import type { Role } from '../../test/support/apart/roles.ts'
import { quantile } from './figure.ts'
import { liveHeapMb } from './live-heap.ts'
import type { Member, SoakPlace } from './soak-place.ts'

/** What a minute of a soak looked like. */
export interface Sample {
  readonly minute: number
  readonly load: number
  /** Orders answered within the minute. */
  readonly orders: number
  readonly medianMs: number
  readonly p95Ms: number
  /** Resident memory of all processes of a role, in MB. */
  readonly resident: Readonly<Record<Role, number>>
  /** What of their heaps is no garbage, in MB. */
  readonly heap: Readonly<Record<Role, number>>
  readonly redisMb: number
  readonly redisKeys: number
  /** All tables with their indexes, in MB, and by name. */
  readonly tablesMb: number
  readonly tables: ReadonlyMap<string, number>
  /** Of PostgreSQL. */
  readonly connections: number
}

export async function takeSample(
  place: SoakPlace,
  minute: number,
  waits: readonly number[],
): Promise<Sample> {
  const tables = await tableSizes(place)
  return {
    minute,
    load: loadavg()[0] ?? 0,
    orders: waits.length,
    medianMs: waits.length === 0 ? 0 : quantile(waits, 0.5),
    p95Ms: waits.length === 0 ? 0 : quantile(waits, 0.95),
    resident: await byRole(place, async ({ program }) => residentMb(program.pid)),
    heap: await byRole(place, ({ program }) => liveHeapMb(program.stderr)),
    ...(await redisSizes(place)),
    tablesMb: [...tables.values()].reduce((sum, size) => sum + size, 0),
    tables,
    connections: await countConnections(place),
  }
}

async function byRole(
  { members }: SoakPlace,
  measure: (member: Member) => Promise<number>,
): Promise<Readonly<Record<Role, number>>> {
  const total = { gateway: 0, agent: 0, worker: 0 }
  for (const member of members) total[member.role] += await measure(member)
  return total
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1] ?? 0) / 1_024
}

async function redisSizes({ redis }: SoakPlace) {
  const info = await redis.info('memory')
  const used = Number(/^used_memory:(\d+)/mu.exec(info)?.[1] ?? 0)
  return { redisMb: used / 1_048_576, redisKeys: await redis.dbsize() }
}

async function tableSizes({ database }: SoakPlace): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`.execute(database.db)
  return new Map(rows.map(({ name, bytes }) => [name, bytes / 1_048_576]))
}

async function countConnections({ database }: SoakPlace): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`.execute(
    database.db,
  )
  return rows[0]?.count ?? 0
}
