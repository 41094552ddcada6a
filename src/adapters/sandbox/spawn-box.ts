// Node's own `spawn`, not execa: it waits for pipes that are handed on here, and takes no descriptor above 9.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Box, BoxSpec } from '../../ports/sandbox.ts'
import { withClosedRest } from './leftovers.ts'
import { uidRange } from './process/claim-uid.ts'
import { giveWorkspace } from './process/own-workspace.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

/** A program to start as a box: without our environment, and without descriptors beyond stdio. */
export interface BoxCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** User id other than our own; root only. */
  readonly uid?: number
  /** Passes its input and output as descriptors 3 and 4, and `/dev/null` as 0 and 1. */
  readonly apart?: true
  /** File that it may read as descriptor 5. */
  readonly fifth?: string
  /**
   * User whom processes of its user namespace may become, as `inner` there; root only. The program is bubblewrap with
   * `--info-fd 6 --userns-block-fd 7`, and `apart`.
   */
  readonly owner?: { readonly host: Owner; readonly inner: number }
}

/** A started box; killing it is up to the driver. */
export type StartedBox = Omit<Box, 'kill'>

/** Starts `command` in a session of its own. Rejects if the program cannot be executed. */
export async function spawnBox(command: BoxCommand): Promise<StartedBox> {
  const fifth = command.fifth === undefined ? 'ignore' : openSync(command.fifth, 'r')
  const child = start(command, fifth)
  const exited = exitOf(child)
  await once(child, 'spawn').finally(() => fifth === 'ignore' || closeSync(fifth))
  if (command.owner !== undefined) await mapOwner(child, command.owner)
  const { pid, stderr } = child
  const [stdin, stdout] = command.apart
    ? [child.stdio[3], child.stdio[4]]
    : [child.stdin, child.stdout]
  if (
    pid === undefined ||
    stderr === null ||
    !(stdin instanceof Writable) ||
    !(stdout instanceof Readable)
  )
    throw new Error(`${command.file} was started without its pipes`)
  // If the box ends during a write, `exited` reports it, so the EPIPE is ignored.
  stdin.on('error', () => undefined)
  return { stdin, stdout, stderr, pid, startTicks: startTicksOf(pid), exited }
}

function start(command: BoxCommand, fifth: number | 'ignore'): ChildProcess {
  const mapping = command.owner === undefined ? [] : (['pipe', 'pipe'] as const)
  const own = command.apart ? (['pipe', 'pipe', fifth, ...mapping] as const) : []
  const ends = command.apart ? 'ignore' : 'pipe'
  return withClosedRest((rest) =>
    spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: [ends, ends, 'pipe', ...own, ...rest.slice(own.length)],
      ...(command.uid === undefined ? {} : { uid: command.uid, gid: command.uid }),
    }),
  )
}

/**
 * Maps the user ids of a bubblewrap that waits for them. Root stays mapped, since the mounts are made as root; a process
 * without capabilities cannot become it. If bubblewrap ends first, its exit and its words tell why.
 */
async function mapOwner(
  child: ChildProcess,
  { host, inner }: NonNullable<BoxCommand['owner']>,
): Promise<void> {
  const [info, block]: readonly unknown[] = [...child.stdio].slice(6)
  if (!(info instanceof Readable) || !(block instanceof Writable))
    throw new Error('bubblewrap was started without the pipes of its user ids')
  block.on('error', () => undefined)
  try {
    const pid = /"child-pid": *(\d+)/.exec(await text(info))?.[1]
    if (pid === undefined) return
    writeFileSync(`/proc/${pid}/uid_map`, `0 0 1\n${inner} ${host.uid} 1\n`)
    writeFileSync(`/proc/${pid}/gid_map`, `0 0 1\n${inner} ${host.gid} 1\n`)
    block.write('.')
  } catch (cause) {
    child.kill('SIGKILL')
    throw new SandboxUnavailable('user ids cannot be mapped here', { cause })
  } finally {
    block.end()
  }
}

function exitOf(child: ChildProcess): Box['exited'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

/** Start time in clock ticks since boot; 0 if `/proc` is not available. */
function startTicksOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in field 2 may contain blanks and parentheses: count after it. Field 22 is the 20th.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 0)
  } catch {
    return 0
  }
}

/** User and group ids on the host. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The workspace's owner, never root. A workspace of root is given to a user of its own (THREAT-31). */
export async function workspaceOwner(
  { workspace, masked }: Pick<BoxSpec, 'workspace' | 'masked'>,
  reachableRoot: string,
): Promise<Owner> {
  const { uid, gid } = await stat(workspace)
  if (uid !== 0) return { uid, gid: gid === 0 ? uid : gid }
  // A user id assigned by the process driver.
  if (gid >= uidRange.first && gid < uidRange.first + uidRange.count) return { uid: gid, gid }
  if (process.getuid?.() !== 0)
    throw new SandboxUnavailable(`${workspace} is root's, whom no box runs as: give it to somebody`)
  const given = await giveWorkspace(workspace, masked, reachableRoot)
  return { uid: given, gid: given }
}
