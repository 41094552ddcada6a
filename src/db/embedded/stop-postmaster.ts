import { setTimeout as delay } from 'node:timers/promises'
import { EmbeddedPostgresError } from './errors.ts'
import { processStart, signalProcess } from './process-identity.ts'

/** Server process, identified by pid and start. */
export interface ServerProcess {
  readonly pid: number
  readonly start: string
}

/**
 * Shutdown signals with their timeouts in milliseconds: fast shutdown (rolls back open transactions), without a
 * checkpoint, kill. None loses committed data.
 */
const signals = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
] as const

/** Stops a server and waits until it has ended. */
export async function stopPostmaster({ pid, start }: ServerProcess): Promise<void> {
  for (const [signal, patienceMs] of signals) {
    if ((await processStart(pid)) !== start) return
    signalProcess(pid, signal)
    if (await endsWithin(pid, start, patienceMs)) return
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not end`)
}

async function endsWithin(pid: number, start: string, patienceMs: number): Promise<boolean> {
  const until = Date.now() + patienceMs
  while (Date.now() < until) {
    if ((await processStart(pid)) !== start) return true
    await delay(20)
  }
  return false
}
