import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A process as it was looked at. */
interface Seen {
  readonly pid: number
  readonly parent: number
  readonly commandLine: string
}

/** Signal 15, as /proc counts them. */
const sigterm = 1n << 14n

/** What a process of the product is. */
export type Part = 'node' | 'postgres' | 'box'

/**
 * Every living process that belongs to a data directory: those that name it in their command line, their working
 * directory or their environment, those started by one of them, and boxes with one of the given keys.
 */
export function processesOf(
  dataDir: string,
): readonly { readonly pid: number; readonly part: Part }[] {
  const all = listProcesses()
  const found = new Set(all.filter((seen) => names(seen, dataDir)).map(({ pid }) => pid))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return all.flatMap((seen) => (found.has(seen.pid) ? [{ pid: seen.pid, part: partOf(seen) }] : []))
}

/** Ends these processes at once, in this order. */
export function killNow(pids: readonly number[]): void {
  signalAll(pids, 'SIGKILL')
}

/** Sends each of these processes a signal, in this order; one that has ended meanwhile is passed over. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}

/**
 * Waits until a process has heard a SIGTERM that it was sent: two that wait for it are one to it. What comes within 300 ms
 * of the first it takes for the same wish, so that another second passes.
 */
export async function untilHeard(pid: number): Promise<void> {
  while (isDeaf(pid)) await delay(20)
  await delay(1_000)
}

/** It has not run since it was sent the signal, or has not gone to sleep since. */
function isDeaf(pid: number): boolean {
  const status = tryRead(() => readFileSync(`/proc/${pid}/status`, 'latin1'))
  const [, state = 'Z'] = /^State:\s+(\w)/m.exec(status) ?? []
  const [, pending = '0'] = /^ShdPnd:\s+(\w+)$/m.exec(status) ?? []
  const isPending = (BigInt(`0x${pending}`) & sigterm) !== 0n
  return isPending || !['S', 'Z', 'X'].includes(state)
}

/** Processes whose command line holds `word`. */
export function processesNaming(word: string): readonly number[] {
  return listProcesses()
    .filter(({ pid, commandLine }) => pid !== process.pid && commandLine.includes(word))
    .map(({ pid }) => pid)
}

function names({ pid, commandLine }: Seen, dataDir: string): boolean {
  const places = [commandLine, tryRead(() => readlinkSync(`/proc/${pid}/cwd`)), environment(pid)]
  return places.some((text) => text.includes(dataDir))
}

function partOf({ pid, commandLine }: Seen): Part {
  if (commandLine.includes('postgres')) return 'postgres'
  return environment(pid).includes('COUNTERSIGN_DATA_DIR=') ? 'node' : 'box'
}

function listProcesses(): readonly Seen[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? look(Number(name)) : []))
}

function look(pid: number): readonly Seen[] {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  // The name in field 2 may hold blanks and parentheses; zombies are dead.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || state === '' || state === 'Z' || state === 'X') return []
  const commandLine = tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  return [{ pid, parent: Number(parent), commandLine: commandLine.replaceAll('\0', ' ') }]
}

function environment(pid: number): string {
  return tryRead(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))
}

function tryRead(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
