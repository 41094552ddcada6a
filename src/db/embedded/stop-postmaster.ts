import { setTimeout as delay } from 'node:timers/promises'
import { EmbeddedPostgresError } from './errors.ts'
import { processStart, signalProcess } from './process-identity.ts'

/** A server's process, told from a later one with the same number by its start. */
export interface ServerProcess {
  readonly pid: number
  readonly start: string
}

/** Fast stop (open transactions are rolled back), then without a checkpoint, then by force; nothing committed is lost by any. */
const ways = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
] as const

/** Stops a server and waits until it has ended. */
export async function stopPostmaster({ pid, start }: ServerProcess): Promise<void> {
  for (const [signal, patienceMs] of ways) {
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
