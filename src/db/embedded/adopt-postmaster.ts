import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { askServer } from './connect-running.ts'
import {
  commandLine,
  isPidTaken,
  type Postmaster,
  processStart,
  stopPostmaster,
} from './launch-postmaster.ts'

/**
 * Adopts the server that an earlier run left behind for this directory, once it answers; undefined if there is none. A
 * server whose socket is gone is stopped. A `postmaster.pid` of a finished server is ignored.
 */
export async function adoptPostmaster(directory: string): Promise<Postmaster | undefined> {
  const left = await readPidFile(directory)
  if (left === undefined) return undefined
  const start = await startOfServer(left.pid, directory)
  if (start === undefined) {
    await removePidFile(directory, left.pid)
    return undefined
  }
  if (await waitForAnswer(left, start, directory)) {
    return { ...left, start, owned: false, ended: waitUntilGone(left.pid, start) }
  }
  await stopPostmaster({ pid: left.pid, start })
  return undefined
}

/** Returns the start time of the process if it is the server of this directory. */
async function startOfServer(pid: number, directory: string): Promise<string | undefined> {
  if (pid <= 0) return undefined
  const line = await commandLine(pid)
  return line.includes('postgres') && line.includes(directory) ? processStart(pid) : undefined
}

interface LeftBehind {
  readonly pid: number
  readonly socketDirectory: string
}

/** Reads postmaster.pid (see PostgreSQL's pidfile.h): line 1 is the process id, line 5 the socket directory. */
async function readPidFile(directory: string): Promise<LeftBehind | undefined> {
  const text = await readFile(pidFile(directory), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  return { pid: Number(lines[0]) || 0, socketDirectory: lines[4] ?? '' }
}

/**
 * Removes a stale pid file. PostgreSQL ignores the file of a process that is gone, but not an empty one, nor one whose
 * pid is in use or belongs to a zombie. Its shared memory stays protected without the file.
 */
async function removePidFile(directory: string, pid: number): Promise<void> {
  if (pid <= 0 || isPidTaken(pid)) await rm(pidFile(directory), { force: true })
}

/** Waits while the server reports that it is starting, and up to 5 s while it does not answer. */
async function waitForAnswer(
  { pid, socketDirectory }: LeftBehind,
  start: string,
  directory: string,
): Promise<boolean> {
  let silentUntil = Date.now() + 5000
  while (Date.now() < silentUntil && (await processStart(pid)) === start) {
    const answer = await askServer(socketDirectory, directory)
    if (answer === 'ready') return true
    if (answer === 'starting') silentUntil = Date.now() + 5000
    await delay(50)
  }
  return false
}

async function waitUntilGone(pid: number, start: string): Promise<void> {
  while ((await processStart(pid)) === start) await delay(1000, undefined, { ref: false })
}

function pidFile(directory: string): string {
  return join(directory, 'postmaster.pid')
}
