import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { readIfPresent, replaceFile } from '../durable-file.ts'
import { identify, isAlive, processScope } from '../process-identity.ts'

/** Milliseconds after which a silent replica counts as dead, if its process cannot be inspected. */
const silentMs = 15_000
const beatMs = 2_000

const beat = z.strictObject({ scope: z.string(), pid: z.number().int(), ticks: z.number() })

/**
 * Tracks which replicas that share a journal are alive. Within one pid namespace it checks the process; across containers
 * and hosts the age of a file that each replica keeps touching, by the file server's clock.
 */
export interface ReplicaBeats extends Disposable {
  isAlive(replica: string): Promise<boolean>
  /** Returns replicas that have a file and are not alive. */
  dead(): Promise<readonly string[]>
  forget(replica: string): Promise<void>
  /**
   * Returns the time by the clock that dates the files, in milliseconds since 1970; a replica's own clock may differ by
   * hours.
   */
  fileClock(): Promise<number>
}

/** Starts the beat of `replica` in `directory`, created if missing. */
export async function startBeats(directory: string, replica: string): Promise<ReplicaBeats> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const scope = processScope()
  const own = JSON.stringify({ scope, pid: process.pid, ticks: identify(process.pid)?.ticks ?? 0 })
  const touch = () => replaceFile(join(directory, replica), own)
  await touch()
  // The next beat makes up for a failed one.
  const timer = setInterval(() => void touch().catch(() => undefined), beatMs).unref()

  const isReplicaAlive = async (other: string): Promise<boolean> => {
    if (other === replica) return true
    const text = await readIfPresent(join(directory, other))
    const found = beat.safeParse(tryParseJson(text))
    if (found.success && found.data.scope === scope) return isAlive(found.data)
    return text !== undefined && (await isFresh(other))
  }
  const fileClock = async (): Promise<number> => {
    await touch()
    return (await stat(join(directory, replica))).mtimeMs
  }
  const isFresh = async (other: string): Promise<boolean> => {
    const [now, theirs] = await Promise.all([
      fileClock(),
      stat(join(directory, other)).catch(() => undefined),
    ])
    return theirs !== undefined && now - theirs.mtimeMs < silentMs
  }
  return {
    isAlive: isReplicaAlive,
    async dead() {
      const names = (await readdir(directory)).filter((name) => !name.startsWith('.'))
      const living = await Promise.all(names.map(isReplicaAlive))
      return names.filter((_name, index) => !living[index])
    },
    forget: (other) => rm(join(directory, other), { force: true }),
    fileClock,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
