// Node's own `spawn`, not execa: the executor is staged without packages, and a box would start 50 ms later.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { BoundedText } from './bounded-text.ts'
import { createChildEnvironment } from './child-environment.ts'
import { endProcesses, graceMs, type Targets } from './processes.ts'
import { Progress } from './progress.ts'
import type { Ending, Printed, Run } from './shell-outcome.ts'

export interface Program {
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly directory: string
}

/**
 * BASH-01…04: runs a program until it ends, times out or is cancelled, and ends everything it started, including daemons
 * in other sessions. If other processes run next to the box's, one that also clears its environment is not found.
 */
export async function runProgram(call: Call, program: Program): Promise<Run> {
  const startedAt = performance.now()
  const printed = createPrinted(call.request.maxStreamBytes)
  const progress = new Progress((printing) => call.progress(printing))
  const marker = `${randomBytes(12).toString('hex')}.`
  const child = await start(call, program, marker)
  const ended = waitForExit(child, capture(child, printed, progress))
  const limit = limitOf(call)
  const stop = new AbortController()
  call.surroundings.markers.add(marker)
  try {
    const ending = await Promise.race([ended, waitForStop(call.signal, limit, stop.signal)])
    const leftBehind = await endProcesses(targetsOf(call, child, marker))
    // The last output is still in the pipes.
    if (ending.kind !== 'exited') await Promise.race([ended, sleep(graceMs)])
    const durationMs = performance.now() - startedAt
    return { ending, printed, durationMs, timeoutMs: limit.timeoutMs, leftBehind }
  } finally {
    stop.abort()
    call.surroundings.markers.delete(marker)
    progress.stop()
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}

function createPrinted(maxBytes: number): Printed {
  return {
    stdout: new BoundedText(maxBytes),
    stderr: new BoundedText(maxBytes),
    both: new BoundedText(maxBytes),
  }
}

async function start(
  call: Call,
  { file, args, directory }: Program,
  marker: string,
): Promise<ChildProcess> {
  const { request, surroundings } = call
  const { workspace } = request.rules
  const child = spawn(file, [...args], {
    cwd: directory,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: createChildEnvironment(surroundings, workspace, marker, request.env),
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  if (child.pid !== undefined) call.started(child.pid)
  return child
}

// Independent of the call's id: a command could answer a call whose id it knows.
function targetsOf({ surroundings }: Call, child: ChildProcess, marker: string): Targets {
  const { alone, executorId, markers } = surroundings
  const executor = `${executorId}:`
  const own = `${executor}${marker}`
  const groups = child.pid === undefined ? [] : [child.pid]
  if (alone === undefined) return { groups, marker: own }
  const others = [...markers].filter((other) => other !== marker)
  const spared = others.map((other) => `${executor}${other}`)
  return { groups, marker: own, strays: { among: alone, executor, spared } }
}

function capture(child: ChildProcess, printed: Printed, progress: Progress): Promise<unknown> {
  const read = (stream: Readable | null, own: BoundedText): Promise<void> => {
    const decoder = new StringDecoder('utf8')
    const take = (text: string): void => {
      own.append(text)
      printed.both.append(text)
      progress.append(text)
    }
    stream?.on('data', (chunk: Buffer) => take(decoder.write(chunk)))
    return new Promise((resolve) => {
      stream?.once('end', () => take(decoder.end()))
      stream?.once('close', resolve)
      stream?.once('error', () => resolve())
    })
  }
  return Promise.all([read(child.stdout, printed.stdout), read(child.stderr, printed.stderr)])
}

/** Waits for the exit, and up to 250 ms for the pipes, which a background child may keep open. */
async function waitForExit(child: ChildProcess, drained: Promise<unknown>): Promise<Ending> {
  const ending = await new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve({ kind: 'exited', code, signal }))
  })
  await Promise.race([drained, sleep(graceMs)])
  return ending
}

interface Limit {
  readonly timeoutMs: number
}

/** Returns the time limit; the model may only shorten the configured one. */
function limitOf(call: Call): Limit {
  const seconds = numberArgument(call.request, 'timeout')
  const { timeoutMs } = call.request
  return { timeoutMs: seconds === undefined ? timeoutMs : Math.min(timeoutMs, seconds * 1000) }
}

function waitForStop(signal: AbortSignal, limit: Limit, done: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'timeout' }), limit.timeoutMs)
    const onAbort = (): void =>
      resolve({ kind: signal.reason === 'timeout' ? 'timeout' : 'cancelled' })
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    done.addEventListener('abort', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  })
}
