import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { askServer } from './ask-server.ts'
import type { Postmaster } from './launch-postmaster.ts'
import { commandLine, isPidTaken, processStart } from './process-identity.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/**
 * The server that an earlier run left behind over this directory, once it answers; undefined when there is none.
 * One whose socket has gone is stopped. A `postmaster.pid` of a server that has ended is no obstacle.
 */
export async function adoptPostmaster(directory: string): Promise<Postmaster | undefined> {
  const left = await readPidFile(directory)
  if (left === undefined) return undefined
  const start = await startOfServer(left.pid, directory)
  if (start === undefined) {
    await removePidFile(directory, left.pid)
    return undefined
  }
  if (await answersInTime(left, start, directory)) {
    return { ...left, start, owned: false, ended: untilGone(left.pid, start) }
  }
  await stopPostmaster({ pid: left.pid, start })
  return undefined
}

/** When the process started, if it is the server of this directory. */
async function startOfServer(pid: number, directory: string): Promise<string | undefined> {
  if (pid <= 0) return undefined
  const line = await commandLine(pid)
  return line.includes('postgres') && line.includes(directory) ? processStart(pid) : undefined
}

interface LeftBehind {
  readonly pid: number
  readonly socketDirectory: string
}

/** Lines of the file, see PostgreSQL's pidfile.h: 1 the process, 5 the directory of its socket. */
async function readPidFile(directory: string): Promise<LeftBehind | undefined> {
  const text = await readFile(pidFile(directory), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const lines = text.split('\n')
  return { pid: Number(lines[0]) || 0, socketDirectory: lines[4] ?? '' }
}

/**
 * PostgreSQL itself passes by the file of a process that is gone, but not by an empty one, nor by one whose number another process
 * has now or an ended one still holds. That it still guards its shared memory does not depend on the file.
 */
async function removePidFile(directory: string, pid: number): Promise<void> {
  if (pid <= 0 || isPidTaken(pid)) await rm(pidFile(directory), { force: true })
}

/** Waits as long as the server says that it is starting, and 5 s while it says nothing. */
async function answersInTime(
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

async function untilGone(pid: number, start: string): Promise<void> {
  while ((await processStart(pid)) === start) await delay(1000, undefined, { ref: false })
}

function pidFile(directory: string): string {
  return join(directory, 'postmaster.pid')
}
