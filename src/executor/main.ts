import { readdirSync, readFileSync } from 'node:fs'
import { killProcessesNow } from './bash/processes.ts'
import type { Surroundings } from './call.ts'
import { clearSetuid, clearSetuidNow } from './clear-setuid.ts'
import { readSurroundings } from './own-environment.ts'
import { serve } from './serve.ts'

const everyMs = 200

const surroundings = readSurroundings()
const groups = new Set<number>()
/** Directory in which drivers start the executor. */
const workspace = process.cwd()

/** BOX-02: ends everything that the executor started, whatever ends it. */
function end(code: number): never {
  killProcessesNow({ groups: [...groups], marker: `${surroundings.executorId}:`, own: true })
  clearSetuidNow(surroundings, workspace)
  process.exit(code)
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(0))
process.stdout.on('error', () => end(0))
process.on('uncaughtException', (error) => {
  process.stderr.write(`executor: ${error.stack ?? error.message}\n`)
  end(1)
})

limitProcesses(surroundings)
// Cleans up after a box that was killed before this one.
void clearSetuid(surroundings, { workspace, allowed: [] })
await serve(process.stdin, process.stdout, surroundings, groups)
end(0)

/**
 * DECISION-30: kills everything in the box once it has more processes than the driver allows, for boxes without a control
 * group, since the kernel's user limit does not bind root. One signal to all is faster than any fork (`kill(2)` with -1
 * spares the caller and the namespace's first process).
 */
function limitProcesses({ alone, mostProcesses }: Surroundings): void {
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

/** Counts threads as processes, as control groups do. */
function countProcesses(): number {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids.reduce((sum, pid) => sum + threadsOf(pid), 0)
  } catch {
    return 0
  }
}

function threadsOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before it may contain anything; num_threads is the 20th field (proc(5)).
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[17]) || 1
  } catch {
    return 0
  }
}
