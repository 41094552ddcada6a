import { readdirSync } from 'node:fs'
import type { Surroundings } from './call.ts'

const everyMs = 200

/**
 * DECISION-30: ends everything that runs in a box of its own as soon as there are more processes than the driver allows. For
 * boxes without a control group: the kernel's own limit on a user does not bind root. One signal to all of them is faster than any
 * process can fork (`kill(2)` with -1 spares the caller and the namespace's first process).
 */
export function limitProcesses({ alone, mostProcesses }: Surroundings): void {
  if (alone !== 'box' || mostProcesses === undefined) return
  const look = (): void => {
    if (countProcesses() <= mostProcesses) return
    process.stderr.write(`executor: more than ${mostProcesses} processes, all were ended\n`)
    try {
      process.kill(-1, 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  }
  setInterval(look, everyMs).unref()
}

function countProcesses(): number {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length
  } catch {
    return 0
  }
}
