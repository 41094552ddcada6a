// Node's own `spawn`, not execa: the server outlives us, and writes to a descriptor of any number.

import { type ChildProcess, spawn } from 'node:child_process'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../../util/has-code.ts'
import { runCommand } from '../../util/run-command.ts'
import { askServer } from './connect-running.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Launcher } from './launcher.ts'

const psEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

/**
 * Shutdown signals with their timeouts in milliseconds: fast shutdown (rolls back open transactions), without a
 * checkpoint, kill. None loses committed data.
 */
const signals = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
] as const

/** Running PostgreSQL server process. */
export interface Postmaster extends ServerProcess {
  readonly socketDirectory: string
  /** False if an earlier run of Countersign started it. */
  readonly owned: boolean
  /** Resolves when the process has ended; does not keep this process alive. */
  readonly ended: Promise<void>
}

/** Options of a server start. */
interface PostmasterOptions {
  readonly launcher: Launcher
  /** Directory of the database. */
  readonly directory: string
  readonly socketDirectory: string
  readonly logFile: string
  readonly durable: boolean
}

/** The server ended before it answered. `mayPass`: remains of an earlier server blocked it, so a retry may work. */
export class LaunchFailed extends EmbeddedPostgresError {
  override name = 'LaunchFailed'
  readonly mayPass: boolean

  constructor(said: string) {
    super(`PostgreSQL did not start: ${said.trim() || 'it said nothing'}`)
    this.mayPass = /shared memory block .* in use|lock file .* already exists/.test(said)
  }
}

/**
 * Starts the server and waits until it answers or ends; replaying a long log may take minutes. It runs in its own
 * session, so that Ctrl-C at the terminal does not reach it, and survives its parent.
 */
export async function launchPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const log = await openLog(options.logFile)
  const logged = (await log.stat()).size
  const child = spawnServer(options, log)
  const ended = waitForExit(child)
  await log.close()
  if (await waitUntilReady(child, ended, options)) {
    const { pid = 0 } = child
    const start = (await processStart(pid)) ?? ''
    return { pid, start, socketDirectory: options.socketDirectory, owned: true, ended }
  }
  throw new LaunchFailed(await readFrom(options.logFile, logged))
}

function spawnServer(options: PostmasterOptions, log: FileHandle): ChildProcess {
  const { file, args, options: how } = options.launcher.command('postgres', serverArgs(options))
  const child = spawn(file, args, { ...how, detached: true, stdio: ['ignore', log.fd, log.fd] })
  child.unref()
  return child
}

function serverArgs({ directory, socketDirectory, durable }: PostmasterOptions): string[] {
  const settings = durable ? serverSettings : { ...serverSettings, ...unsafeSettings }
  const set = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', directory, '-k', socketDirectory, ...set]
}

const serverSettings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  port: '5432',
  max_connections: '100',
  shared_buffers: '32MB',
  jit: 'off',
  io_method: 'sync',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  logging_collector: 'off',
}

/** Settings for tests, many of which share a server. */
const unsafeSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
}

async function waitForExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
}

async function waitUntilReady(
  child: ChildProcess,
  ended: Promise<void>,
  { socketDirectory, directory }: PostmasterOptions,
): Promise<boolean> {
  let isRunning = child.pid !== undefined
  const noted = ended.then(() => {
    isRunning = false
  })
  while (isRunning) {
    const status = await statusOf(directory, child.pid)
    // A connection takes 10 ms, and where the server is not ready an error stays in its log.
    const mayAnswer = status === undefined || status === 'ready'
    if (mayAnswer && (await askServer(socketDirectory, directory)) === 'ready') return isRunning
    await Promise.race([noted, delay(mayAnswer ? 20 : 5)])
  }
  return false
}

/** Status that the server wrote into postmaster.pid, where it can be read (see PostgreSQL's pidfile.h, line 8). */
async function statusOf(directory: string, pid: number | undefined): Promise<string | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch((error: unknown) =>
    hasCode(error, 'ENOENT') ? '' : undefined,
  )
  const lines = text?.split('\n')
  return lines?.[0] === String(pid) ? lines[7]?.trim() : lines && 'not begun'
}

async function openLog(path: string): Promise<FileHandle> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size > 10 * 1024 * 1024) await rename(path, `${path}.1`)
  return open(path, 'a', 0o600)
}

async function readFrom(path: string, offset: number): Promise<string> {
  const text = await readFile(path).catch(() => Buffer.alloc(0))
  return text.subarray(offset).toString('utf8').slice(-2000)
}

/** Server process, identified by pid and start. */
interface ServerProcess {
  readonly pid: number
  readonly start: string
}

/** Stops a server and waits until it has ended. */
export async function stopPostmaster({ pid, start }: ServerProcess): Promise<void> {
  for (const [signal, patienceMs] of signals) {
    if ((await processStart(pid)) !== start) return
    signalProcess(pid, signal)
    if (await endsWithin(pid, start, patienceMs)) return
  }
  throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) does not end`)
}

async function endsWithin(pid: number, start: string, patienceMs: number): Promise<boolean> {
  const until = Date.now() + patienceMs
  while (Date.now() < until) {
    if ((await processStart(pid)) !== start) return true
    await delay(20)
  }
  return false
}

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
function signalProcess(pid: number, signal: NodeJS.Signals): void {
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
