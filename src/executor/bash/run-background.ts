// Node's own `spawn`, not execa: the executor is staged without packages, and a box would start 50 ms later.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { Call, Surroundings } from '../call.ts'
import { fail } from '../refusal.ts'
import { createChildEnvironment } from './child-environment.ts'
import { isMarkerAlive } from './processes.ts'

/** Maximum number of background jobs in a box (DECISIONS 27). */
const maxJobs = 5
const folder = '.jobs'

/**
 * BASH-01: starts a background command with its output in a log in the workspace. It and its descendants live as long as
 * the box: `/stop`, `/clear` and the end of the executor end them (BOX-02).
 */
export async function runBackground(
  call: Call,
  bash: string,
  command: string,
): Promise<ExecutorOutcome> {
  const { request, surroundings } = call
  const { markers } = surroundings
  forgetEnded(surroundings)
  if ([...markers].filter(isOfJob).length >= maxJobs) {
    fail('permanent_failure', `${maxJobs} background jobs run already; stop one first`)
  }
  const job = randomBytes(4).toString('hex')
  await using log = await createLog(request.rules.workspace, job)
  const marker = `${prefix}${job}.`
  const child = spawn(bash, ['-c', command], {
    cwd: request.rules.workspace,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: createChildEnvironment(surroundings, request.rules.workspace, marker, request.env),
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  markers.add(marker)
  running.add(marker)
  child.once('exit', () => running.delete(marker))
  return { kind: 'ok', output: JSON.stringify({ job, log: `~/${folder}/${job}.log` }) }
}

/** Markers of background commands whose shell is running. */
const running = new Set<string>()
const prefix = 'job-'

function isOfJob(marker: string): boolean {
  return marker.startsWith(prefix)
}

/** Removes background commands without live processes from `markers`. */
function forgetEnded({ executorId, markers }: Surroundings): void {
  for (const marker of markers) {
    const isOver = isOfJob(marker) && !running.has(marker)
    if (isOver && !isMarkerAlive(`${executorId}:${marker}`)) markers.delete(marker)
  }
}

/** Creates a log file in a real folder of the workspace, without following links that a command may have created. */
async function createLog(workspace: string, job: string): Promise<FileHandle> {
  await access(workspace, constants.W_OK).catch(() =>
    fail('policy_blocked', 'Commands may not write to the workspace here, where the log would be'),
  )
  const directory = join(await realpath(workspace), folder)
  await mkdir(directory, { recursive: true })
  if ((await realpath(directory)) !== directory) {
    fail('policy_blocked', `${folder} leads out of the workspace`)
  }
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY, O_APPEND } = constants
  const flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_APPEND
  return open(join(directory, `${job}.log`), flags, 0o644)
}
