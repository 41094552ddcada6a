import { differingRules } from '../../core/call/gate/file-rules.ts'
import type { Db, WorkerRow } from '../../db/schema.ts'
import { findLiveAgents } from '../../db/worker/agents.ts'
import { findAllLiveReplicas } from '../../db/worker/workers.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Checks live agents and workers, and clocks that would cause jobs to be refused (INT-40). */
export async function checkProcesses(db: Db): Promise<readonly Finding[]> {
  const agents = await findLiveAgents(db)
  const replicas = await findAllLiveReplicas(db)
  if (agents.length + replicas.length === 0) return [ok('processes', 'none is running')]
  return [
    agents.length > 0
      ? ok('agents', `${agents.length} running, with ${agents[0]?.model}`)
      : warn('agents', 'none is running', 'start countersign agent: nothing is answered without'),
    ...(await differingRules(db)).map(({ finding, fix }) => warn('rules', finding, fix)),
    ...checkWorkers(replicas),
  ]
}

function checkWorkers(replicas: readonly WorkerRow[]): readonly Finding[] {
  if (replicas.length === 0) {
    return [warn('workers', 'none is running', 'start countersign worker: no tool runs without')]
  }
  const names = Map.groupBy(replicas, ({ name }) => name)
  return [...names].flatMap(([name, of]) => [
    ok('workers', `"${name}": ${of.length} running, sandbox ${driversOf(of)}`),
    ...of.flatMap(checkSkew),
  ])
}

function driversOf(replicas: readonly WorkerRow[]): string {
  return [...new Set(replicas.map(({ driver }) => driver))].join(' and ')
}

function checkSkew({ name, replica, seen_at, said_at }: WorkerRow): readonly Finding[] {
  if (said_at === null) return []
  const skewMs = Math.abs(said_at.getTime() - seen_at.getTime())
  const seconds = (skewMs / 1000).toFixed(1)
  const finding = `that of worker "${name}" (${replica}) differs from the database’s by ${seconds} s`
  const fix = 'let its machine follow a time server'
  if (skewMs > 60_000) return [fail('clock', `${finding}: it refuses signed jobs`, fix)]
  return skewMs > 5_000 ? [warn('clock', finding, fix)] : []
}
