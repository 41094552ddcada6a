import type { Db } from '../../../db/schema.ts'
import { findSettledRules } from '../../../db/worker/agents.ts'

/**
 * A change in a directory that agents share is seen by all of them within their heartbeat, or, where it is a network file
 * system that keeps what it knows of a file for a minute, within that: only what lasts longer is a difference.
 */
const settledMs = 75_000

type Settled = Awaited<ReturnType<typeof findSettledRules>>[number]

/** What a person must know: that agents go by different rules, who by which, and how to mend it. */
export interface DifferingRules {
  readonly finding: string
  readonly mend: string
}

/**
 * GATE-04: agents whose rules for one worker differ, or what their configuration adds to them, one entry a worker: whoever has
 * the turn would decide what asks. Agents whose rules changed less than `forMs` ago are left out.
 */
export async function differingRules(
  db: Db,
  forMs = settledMs,
): Promise<readonly DifferingRules[]> {
  const workers = Map.groupBy(await findSettledRules(db, forMs), ({ worker }) => worker)
  return [...workers].flatMap(([worker, agents]) => {
    const rules = Map.groupBy(agents, ({ sha256 }) => sha256)
    return rules.size < 2 ? [] : [describe(worker, [...rules.values()])]
  })
}

function describe(worker: string, rules: readonly (readonly Settled[])[]): DifferingRules {
  const sides = rules.map((agents, index) => `${index + 1}. ${describeSide(agents)}`)
  return {
    finding: `agents have different rules or configuration for worker "${worker}", so that one allows what another asks or denies: ${sides.join('; ')}`,
    mend: 'let all agents share one data directory, and with it one file of rules, or keep the rules in the database by [tools] permissions_store; and give all one countersign.toml',
  }
}

/** Two that name the same file differ in their configuration. The first digits are enough to tell them apart. */
function describeSide(agents: readonly Settled[]): string {
  const who = agents.map(({ id, host, path }) => `agent ${id} on ${host} by ${path}`)
  return `${who.join(', ')} (fingerprint ${agents[0]?.sha256.slice(0, 12)}…)`
}
