import { type ChildProcess, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutorOutcome } from '../../domain/executor-protocol.ts'
import { flagArgument, numberArgument, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { findProgram } from '../find-program.ts'
import { fail } from '../refusal.ts'
import { BoundedText } from './bounded-text.ts'
import { createChildEnvironment } from './child-environment.ts'
import { endProcesses, graceMs, isGroupAlive, type Targets } from './processes.ts'
import { Progress } from './progress.ts'
import { refuseCommand } from './refuse-command.ts'
import { runBackground } from './run-background.ts'
import { type Ending, type Printed, toShellOutcome } from './shell-outcome.ts'

/** BASH-01…04: runs one command to its end, the time limit, or a cancel, and leaves none of its group behind. */
export async function runBash(call: Call): Promise<ExecutorOutcome> {
  const { request, surroundings } = call
  const command = textArgument(request, 'command')
  if (command.includes('\0')) fail('invalid_parameters', 'command: must not hold a NUL character')
  const refused = refuseCommand(command, request.rules, surroundings.refuses)
  if (refused !== undefined) fail('policy_blocked', refused)
  // Only bash: the gate judged the command by bash's grammar, and another shell may read it otherwise.
  await assertWorkspace(request.rules.workspace)
  const bash = await findProgram('bash', surroundings.path)
  if (bash === undefined)
    fail('permanent_failure', 'There is no bash in this box, so no command can run')
  if (flagArgument(request, 'background') === true) return runBackground(call, bash, command)
  return runCommand(call, bash, command)
}

async function assertWorkspace(workspace: string): Promise<void> {
  const isThere = await stat(workspace).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) fail('permanent_failure', 'The workspace directory is missing')
}

async function runCommand(call: Call, bash: string, command: string): Promise<ExecutorOutcome> {
  const startedAt = performance.now()
  const printed = createPrinted(call.request.maxStreamBytes)
  const progress = new Progress((text) => call.progress(text))
  const child = await start(call, bash, command)
  const ended = waitForExit(child, capture(child, printed, progress))
  const limit = limitOf(call)
  const stop = new AbortController()
  try {
    const ending = await Promise.race([ended, waitForStop(call.signal, limit, stop.signal)])
    if (ending.kind !== 'exited') await endProcesses(targetsOf(call, child))
    else if (child.pid !== undefined && isGroupAlive(child.pid)) await endProcesses(groupOf(child))
    // What was printed last is still in the pipes.
    if (ending.kind !== 'exited') await Promise.race([ended, sleep(graceMs)])
    return toShellOutcome(ending, printed, performance.now() - startedAt, limit.timeoutMs)
  } finally {
    stop.abort()
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

async function start(call: Call, bash: string, command: string): Promise<ChildProcess> {
  const { request, surroundings } = call
  const { workspace } = request.rules
  const child = spawn(bash, ['-c', command], {
    cwd: workspace,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: createChildEnvironment(surroundings, workspace, markerOf(request.id), request.env),
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  if (child.pid !== undefined) call.started(child.pid)
  return child
}

/** Ids come from outside; in an environment variable only their plain characters stay. */
function markerOf(id: string): string {
  return `${Buffer.from(id).toString('base64url')}.`
}

function targetsOf(call: Call, child: ChildProcess): Targets {
  const marker = `${call.surroundings.executorId}:${markerOf(call.request.id)}`
  const groups = child.pid === undefined ? [] : [child.pid]
  return { groups, marker, orphans: call.surroundings.isAlone }
}

function groupOf(child: ChildProcess): Targets {
  return { groups: child.pid === undefined ? [] : [child.pid] }
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

/** A background child may keep the pipes open for ever: they get 250 ms after the shell is gone. */
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

/** The model may ask for less than the configuration allows, never for more. */
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
