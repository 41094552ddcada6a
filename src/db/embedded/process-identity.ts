import { readFile } from 'node:fs/promises'
import { hasCode } from '../../util/has-code.ts'
import { runCommand } from '../../util/run-command.ts'

const psEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/**
 * When a process started, as text that tells it from any other process that had or will have its number.
 * Undefined when no such process runs; one that has ended and only waits to be collected does not run.
 */
export async function processStart(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid)
}

/** The arguments a process was started with; empty when it is gone or has ended. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const text = await readIfThere(`/proc/${pid}/cmdline`)
    return text.replaceAll('\0', ' ')
  }
  return ps(pid, 'command=')
}

/** Whether the number belongs to a process, be it ended and not yet collected. What `kill -0` says. */
export function isPidTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Sends a signal; nothing happens to a process that has just ended. Throws where it may not be signalled. */
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
  // proc(5): the second field may itself hold spaces and brackets; the third is the state, the 22nd the start in ticks since boot.
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
