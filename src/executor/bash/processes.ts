import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { callMarker } from './child-environment.ts'

/** How long a process may take to end by itself between TERM and KILL (BASH-03), in milliseconds. */
export const graceMs = 250
const rounds = 40

/** Which processes to end, always with their descendants. */
export interface Targets {
  readonly groups: readonly number[]
  /** Those whose call marker begins with this. */
  readonly marker?: string
  /** Children of the executor itself. */
  readonly own?: boolean
  /** Those that have left the executor's tree and belong to no other call, whatever their environment says. */
  readonly strays?: Strays
}

/** How a process that is no descendant of the executor any more is told from one that belongs to it. */
export interface Strays {
  /** `box`: every process that is seen is the box's. `user`: those of our user are, another executor's among them. */
  readonly among: 'box' | 'user'
  /** Begins the markers of this executor. */
  readonly executor: string
  /** Markers of other calls and of background commands, whose processes stay. */
  readonly spared: readonly string[]
}

/** BASH-03: TERM, 250 ms, KILL, until nothing of `targets` is left that can be seen; answers how many were found first. */
export async function endProcesses(targets: Targets): Promise<number> {
  const known = new Set<number>()
  const isAny = signalAll(targets, known, 'SIGTERM')
  const found = known.size
  // One that starts itself anew all the time may be missed by one look.
  if (!isAny && targets.strays === undefined) return 0
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && isAnyAlive(targets, known)) await sleep(20)
  for (let round = 0; round < rounds && signalAll(targets, known, 'SIGKILL'); round++) {
    await sleep(round < 5 ? 5 : 25)
  }
  return found
}

/** Whether a process lives that carries this marker. */
export function isMarkerAlive(marker: string): boolean {
  return listProcesses().some(({ pid }) => isMarked(pid, marker))
}

/** The same at once and without waiting: for the moment when the executor itself ends. */
export function killProcessesNow(targets: Targets): void {
  const known = new Set<number>()
  // Several rounds: a process that forks while it is looked at has a child that was not seen.
  for (let round = 0; round < rounds; round++) {
    const before = known.size
    const isAlive = signalAll(targets, known, 'SIGKILL')
    if (!isAlive && known.size === before) return
  }
}

/** Whether the group has a member. */
function isGroupAlive(group: number): boolean {
  return send(-group, 0)
}

/** Sends to every process of `targets`; answers whether there was one that is not dead already. */
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

/** Living members: of the groups, marked, children of members, and those signalled before that still live. */
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

/** Neither in the executor's tree nor above it, and not of a spared marker or descended from one. */
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
    isOurs(pid) &&
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

/** Zombies count as dead. The program's name may hold blanks and parentheses, so fields count from the last `)`. */
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

/** Whether a process is another executor of our user, its guard, or carries one's marker. */
function isAnothers(pid: number, executor: string): boolean {
  const environment = `\0${readText(`/proc/${pid}/environ`)}`
  const marker = environment.split(`\0${callMarker}=`)[1]
  const isMarkedByOther = marker !== undefined && !marker.startsWith(executor)
  return isMarkedByOther || environment.includes('\0COUNTERSIGN_ALONE=')
}

function isOurs(pid: number): boolean {
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
