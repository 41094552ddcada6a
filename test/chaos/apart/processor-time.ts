import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet } from '../../support/apart/fleet.ts'

/** Of Linux, whatever its kernel counts by. */
const ticksPerSecond = 100

/** Waits, and answers which share of a processor each process of the fleet used meanwhile, by role. */
export async function sharesDuring(
  fleet: Fleet,
  ms: number,
): Promise<readonly (readonly [role: string, share: number])[]> {
  const startedAt = performance.now()
  const before = fleet.seats.map(({ program }) => secondsOf(program.pid))
  await delay(ms)
  const lastedS = (performance.now() - startedAt) / 1_000
  return fleet.seats.map(({ role, program }, index) => {
    const used = secondsOf(program.pid) - (before[index] ?? 0)
    return [role, used / lastedS] as const
  })
}

/** Processor time of a process so far, in seconds. */
function secondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // Fields 14 and 15; the name in field 2 may hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}
