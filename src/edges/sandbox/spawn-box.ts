import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import type { Box } from '../../ports/sandbox.ts'

/** A program to start as a box: nothing of our own environment, no descriptor beyond stdio. */
export interface BoxCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Another user than ours; only root may. */
  readonly uid?: number
}

/** `O_CLOEXEC` of Linux. */
const closeOnExec = 0o2000000

/** A started box without its way to be killed, which is the driver's. */
export type StartedBox = Omit<Box, 'kill'>

/** Starts `command` in a session of its own. Rejects when the program cannot be executed. */
export async function spawnBox(command: BoxCommand): Promise<StartedBox> {
  const stopper = openSync('/dev/null', 'r')
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...stopped(inheritedDescriptors(), stopper)],
    ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.uid }),
  })
  closeSync(stopper)
  const exited = exitOf(child)
  await once(child, 'spawn')
  const { pid, stdin, stdout, stderr } = child
  if (pid === undefined || stdin === null || stdout === null || stderr === null)
    throw new Error(`${command.file} was started without its pipes`)
  // A box that ends while it is written to is told by `exited`, not by an unhandled EPIPE.
  stdin.on('error', () => undefined)
  return { stdin, stdout, stderr, pid, startTicks: startTicksOf(pid), exited }
}

/** What a child's descriptors from 3 on become: `stopper` in place of each that would be handed down. */
function stopped(inherited: ReadonlySet<number>, stopper: number): readonly (number | 'ignore')[] {
  const length = Math.max(2, ...inherited) - 2
  return Array.from({ length }, (_, index) => (inherited.has(index + 3) ? stopper : 'ignore'))
}

/**
 * Descriptors that whoever started us left open without close-on-exec, which Node hands down to every child. One of a
 * folder would be a way out of a box.
 */
function inheritedDescriptors(): ReadonlySet<number> {
  if (process.platform !== 'linux') return new Set()
  const numbers = readdirSync('/proc/self/fd').map(Number)
  return new Set(numbers.filter((fd) => fd > 2 && isHandedDown(fd)))
}

function isHandedDown(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // Was the listing's own descriptor.
    return false
  }
}

function exitOf(child: ChildProcess): Box['exited'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

/** Start time in clock ticks since boot; 0 where `/proc` does not tell. */
export function startTicksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in field 2 may hold blanks and parentheses: count from behind it. Field 22 is the 20th after.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0)
  } catch {
    return 0
  }
}
