import { readdirSync, readFileSync } from 'node:fs'
import type { SoakPlace } from './soak-place.ts'

/** Processor time so far, in milliseconds. */
export interface ProcessorTime {
  /** Of all gateways, agents and workers. */
  readonly node: number
  readonly postgres: number
  readonly redis: number
}

/** What Linux counts in: a hundredth of a second, on every platform that Node runs on. */
const tickMs = 10

export async function processorTimeOf(place: SoakPlace): Promise<ProcessorTime> {
  const { members, postmaster, redis } = place
  const node = members.reduce((sum, { program }) => sum + ticksOf(program.pid).own, 0)
  const server = ticksOf(postmaster)
  const backends = pids()
    .map(ticksOf)
    .filter(({ parent }) => parent === postmaster)
  // Backends that have ended are counted with their parent.
  const postgres = backends.reduce((sum, { own }) => sum + own, server.own + server.ofChildren)
  const info = await redis.info('cpu')
  const seconds = [...info.matchAll(/^used_cpu_(?:user|sys):([\d.]+)/gm)].map(([, text]) =>
    Number(text),
  )
  return {
    node: node * tickMs,
    postgres: postgres * tickMs,
    redis: seconds.reduce((sum, each) => sum + each, 0) * 1_000,
  }
}

export function since(now: ProcessorTime, before: ProcessorTime): ProcessorTime {
  return {
    node: now.node - before.node,
    postgres: now.postgres - before.postgres,
    redis: now.redis - before.redis,
  }
}

/** Fields 4 and 14 to 17 of `/proc/<pid>/stat`; the name before them may hold anything. */
function ticksOf(pid: number): { parent: number; own: number; ofChildren: number } {
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
