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
  /** Those without parent that carry no marker of ours: only where all processes of our user are the box's. */
  readonly orphans?: boolean
}

/** BASH-03: TERM, 250 ms, KILL, until nothing of `targets` is left that can be seen. */
export async function endProcesses(targets: Targets): Promise<void> {
  const known = new Set<number>()
  signalAll(targets, known, 'SIGTERM')
  const deadline = Date.now() + graceMs
  while (Date.now() < deadline && isAnyAlive(targets, known)) await sleep(20)
  for (let round = 0; round < rounds && signalAll(targets, known, 'SIGKILL'); round++) {
    await sleep(round < 5 ? 5 : 25)
  }
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
export function isGroupAlive(group: number): boolean {
  return send(-group, 0)
}

/** Sends to every process of `targets`; answers whether there was one that is not dead already. */
function signalAll(targets: Targets, known: Set<number>, signal: NodeJS.Signals): boolean {
  const living = findMembers(targets, known)
  for (const group of targets.groups) send(-group, signal)
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
  for (const { pid, parent, group } of entries) {
    const isOwn = targets.own === true && parent === process.pid
    const isOrphan = targets.orphans === true && parent === 1 && hasNoMarker(pid)
    if (isOwn || isOrphan || known.has(pid) || groups.has(group) || isMarked(pid, targets.marker)) {
      members.add(pid)
    }
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const { pid, parent } of entries) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return [...members]
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

/** Whether a process of our user has thrown its markers away; the guard around us keeps one. */
function hasNoMarker(pid: number): boolean {
  if (pid === process.pid || pid === process.ppid || !isOurs(pid)) return false
  return !`\0${readText(`/proc/${pid}/environ`)}`.includes('\0COUNTERSIGN_')
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
