import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Identity of a process that distinguishes it from later ones with the same pid; `ticks` is 0 without `/proc`. */
export interface ProcessIdentity {
  readonly pid: number
  readonly ticks: number
}

/**
 * Returns the scope in which pids are valid: one boot of one kernel, seen from one pid namespace. Pids with another scope
 * are meaningless here.
 */
export function processScope(): string {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid'))
  return `${boot ?? hostname()}/${namespace ?? 'host'}`
}

/** Returns the identity of a running process; undefined if there is none. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid)
  if (stat !== undefined) return stat.state === 'Z' ? undefined : { pid, ticks: stat.ticks }
  return process.platform !== 'linux' && answers(pid) ? { pid, ticks: 0 } : undefined
}

/** True if this process, not a later one with the same pid, is alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid)
  return now !== undefined && (identity.ticks === 0 || now.ticks === identity.ticks)
}

/** True if a process descends from another; always true without `/proc`. */
export function descendsFrom(pid: number, ancestor: number): boolean {
  if (process.platform !== 'linux') return true
  const seen = new Set<number>()
  for (let at = pid; at > 1 && !seen.has(at); at = readStat(at)?.parent ?? 0) {
    if (at === ancestor) return true
    seen.add(at)
  }
  return false
}

/** Kills a process and the rest of the process group that it leads; harmless if they are gone. */
export function killGroup(leader: ProcessIdentity): void {
  if (leader.pid <= 1 || leader.pid === process.pid) return
  const now = readStat(leader.pid)
  if (now !== undefined && leader.ticks !== 0 && now.ticks !== leader.ticks) return
  if (now === undefined || now.group === leader.pid) killMembers(leader)
  if (now !== undefined) kill(leader.pid)
}

// A group id is not reused while the group has members, so members found here belong to the recorded group; older ones
// than its leader cannot.
function killMembers(leader: ProcessIdentity): void {
  for (const name of tryRead(() => readdirSync('/proc')) ?? []) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined
    if (stat?.group === leader.pid && stat.ticks >= leader.ticks) kill(pid)
  }
}

interface Stat {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly ticks: number
}

// proc(5): the name in field 2 may contain blanks and parentheses; later fields are counted from the last one.
function readStat(pid: number): Stat | undefined {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent, group] = fields
  return { state, parent: Number(parent), group: Number(group), ticks: Number(fields[19]) }
}

function kill(pid: number): void {
  tryRead(() => process.kill(pid, 'SIGKILL'))
}

function answers(pid: number): boolean {
  return tryRead(() => process.kill(pid, 0)) ?? false
}

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
