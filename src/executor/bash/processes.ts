import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { callMarker } from './child-environment.ts'

/** Milliseconds between TERM and KILL (BASH-03). */
export const graceMs = 250
const rounds = 40

/** Selection of processes to end, always including their descendants. */
export interface Targets {
  readonly groups: readonly number[]
  /** Processes whose call marker begins with this. */
  readonly marker?: string
  /** Children of the executor itself. */
  readonly own?: boolean
  /** Processes that left the executor's tree and belong to no other call, whatever their environment. */
  readonly strays?: Strays
}

/** Rules to recognise processes that are no longer descendants of the executor. */
export interface Strays {
  /** `box`: every visible process belongs to the box. `user`: those of our user do, including other executors'. */
  readonly among: 'box' | 'user'
  /** Prefix of this executor's markers. */
  readonly executor: string
  /** Markers of other calls and background commands, whose processes are spared. */
  readonly spared: readonly string[]
}

/** BASH-03: sends TERM, waits 250 ms and sends KILL until no visible target is left; returns how many were found at first. */
export async function endProcesses(targets: Targets): Promise<number> {
  const known = new Set<number>()
  const isAny = signalAll(targets, known, 'SIGTERM')
  const found = known.size
  // A process that keeps restarting itself may be missed by a single scan.
  if (!isAny && targets.strays === undefined) return 0
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && isAnyAlive(targets, known)) await sleep(20)
  for (let round = 0; round < rounds && signalAll(targets, known, 'SIGKILL'); round++) {
    await sleep(round < 5 ? 5 : 25)
  }
  return found
}

/** True if a process with this marker is alive. */
export function isMarkerAlive(marker: string): boolean {
  return listProcesses().some(({ pid }) => isMarked(pid, marker))
}

/** Kills processes synchronously, when the executor itself ends. */
export function killProcessesNow(targets: Targets): void {
  const known = new Set<number>()
  // Repeats, since a child forked during the scan is not seen.
  for (let round = 0; round < rounds; round++) {
    const before = known.size
    const isAlive = signalAll(targets, known, 'SIGKILL')
    if (!isAlive && known.size === before) return
  }
}

/** True if the group has a member. */
function isGroupAlive(group: number): boolean {
  return send(-group, 0)
}

/** Signals every target; returns true if any is alive. */
function signalAll(targets: Targets, known: Set<number>, signal: NodeJS.Signals): boolean {
  const living = findMembers(targets, known)
  for (const group of targets.groups) if (isGroupAlive(group)) send(-group, signal)
  for (const pid of living) {
    known.add(pid)
    send(pid, signal)
  }
  return living.length > 0 || (!hasProc() && targets.groups.some(isGroupAlive))
}

function isAnyAlive(targets: Targets, known: ReadonlySet<number>): boolean {
  return hasProc() ? findMembers(targets, known).length > 0 : targets.groups.some(isGroupAlive)
}

interface Entry {
  readonly pid: number
  readonly parent: number
  readonly group: number
}

/** Returns live members: of the groups, marked ones, their children, and earlier targets that are still alive. */
function findMembers(targets: Targets, known: ReadonlySet<number>): number[] {
  const entries = listProcesses()
  const groups = new Set(targets.groups)
  const members = new Set<number>()
  const strays = targets.strays && straysAmong(entries, targets.strays)
  for (const { pid, parent, group } of entries) {
    const isOwn = targets.own === true && parent === process.pid
    const isStray = strays?.has(pid) === true
    if (isOwn || isStray || known.has(pid) || groups.has(group) || isMarked(pid, targets.marker)) {
      members.add(pid)
    }
  }
  addDescendants(members, entries)
  members.delete(process.pid)
  return [...members]
}

function addDescendants(members: Set<number>, entries: readonly Entry[]): void {
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid)
  }
}

/** Returns processes outside the executor's tree and ancestors that do not descend from a spared marker. */
function straysAmong(
  entries: readonly Entry[],
  { among, executor, spared }: Strays,
): ReadonlySet<number> {
  const kept = new Set([process.pid])
  for (const { pid } of entries) if (spared.some((marker) => isMarked(pid, marker))) kept.add(pid)
  addDescendants(kept, entries)
  for (let at = process.pid; at > 0; at = entries.find(({ pid }) => pid === at)?.parent ?? 0)
    kept.add(at)
  const isStray = ({ pid, parent }: Entry) =>
    !kept.has(pid) &&
    isOwnedByUs(pid) &&
    (among === 'box' || (parent === 1 && !isAnothers(pid, executor)))
  return new Set(entries.filter(isStray).map(({ pid }) => pid))
}

function hasProc(): boolean {
  return process.platform === 'linux'
}

function listProcesses(): Entry[] {
  if (!hasProc()) return []
  return readNames('/proc').flatMap((name) => (/^\d+$/.test(name) ? readEntry(Number(name)) : []))
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Reads a process, ignoring zombies. The program's name may contain blanks and parentheses, so fields are counted from
 * the last `)`.
 */
function readEntry(pid: number): Entry[] {
  const stat = readText(`/proc/${pid}/stat`)
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || state === '' || state === 'Z' || state === 'X') return []
  return [{ pid, parent: Number(parent), group: Number(group) }]
}

function isMarked(pid: number, marker: string | undefined): boolean {
  if (marker === undefined || pid === process.pid) return false
  const environment = `\0${readText(`/proc/${pid}/environ`)}\0`
  return environment.includes(`\0${callMarker}=${marker}`)
}

/** True if a process is another executor of our user, its guard, or carries another executor's marker. */
function isAnothers(pid: number, executor: string): boolean {
  const environment = `\0${readText(`/proc/${pid}/environ`)}`
  const marker = environment.split(`\0${callMarker}=`)[1]
  const isMarkedByOther = marker !== undefined && !marker.startsWith(executor)
  return isMarkedByOther || environment.includes('\0COUNTERSIGN_ALONE=')
}

function isOwnedByUs(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.()
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
