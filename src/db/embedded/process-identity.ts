import { readFile } from 'node:fs/promises'
import { hasCode } from '../../util/has-code.ts'
import { runCommand } from '../../util/run-command.ts'

const psEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/**
 * Returns the start of a process as text that distinguishes it from other processes with the same pid; undefined if it
 * does not run. A zombie does not count as running.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid)
}

/** Returns the arguments of a process; empty if it has ended. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readIfThere(`/proc/${pid}/cmdline`)
    return text.replaceAll('\0', ' ')
  }
  return ps(pid, 'command=')
}

/** True if the pid belongs to a process, including a zombie, as `kill -0` reports. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Sends a signal; does nothing if the process has just ended. Throws if the process may not be signalled. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

async function startFromProc(pid: number): Promise<string | undefined> {
  const stat = await readIfThere(`/proc/${pid}/stat`)
  if (stat === '') return undefined
  // proc(5): the second field may contain spaces and brackets; the third is the state, the 22nd the start in ticks since
  // boot.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  if (state === 'Z' || state === 'X') return undefined
  const boot = await readIfThere('/proc/sys/kernel/random/boot_id')
  return `${boot.trim()}:${fields[19]}`
}

async function startFromPs(pid: number): Promise<string | undefined> {
  const [state, ...start] = (await ps(pid, 'stat=,lstart=')).trim().split(/\s+/)
  return start.length === 0 || state?.startsWith('Z') ? undefined : start.join(' ')
}

async function ps(pid: number, columns: string): Promise<string> {
  const args = ['-ww', '-o', columns, '-p', String(pid)]
  return runCommand('ps', args, { env: psEnvironment }).catch(() => '')
}

async function readIfThere(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
