import type { ExecutorOutcome } from '../domain/tool/executor-protocol.ts'
import type { JobHeader } from '../rules/jobs/contract.ts'
import type { BoxLease, BoxPool } from './box/box-pool.ts'
import type { CallEvents, ExecutorAnswer } from './box/executor-client.ts'
import type { PreparedCall } from './prepare-call.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { type Failure, failure, type RetryLimits } from './retry-limits.ts'
import { runWithRetries } from './run-with-retries.ts'
import { runInTransaction, runUndo, type SnapshotPlaces } from './snapshots/run-in-transaction.ts'
import type { WorkerTool, WorkerToolOutcome } from './worker-tool.ts'

/** The executor enforces the time limit itself; after this many more milliseconds the box is no longer trusted to. */
const overtimeMs = 10_000

export interface CallSurroundings extends SnapshotPlaces {
  readonly maxStreamBytes: number
  readonly maxDiagnostics: number
  readonly env: Readonly<Record<string, string>>
  readonly retries: RetryLimits
}

/** Hooks into the run of a call. */
export interface CallHooks extends CallEvents {
  /** Called once when everything is ready to start; the call continues only if it returns true. */
  begin(box: ProcessIdentity | undefined): Promise<boolean>
}

export type RunOutcome =
  | ExecutorOutcome
  | WorkerToolOutcome
  /** The box died during a call that may have had an effect. */
  | { readonly kind: 'interrupted'; readonly note?: string }
  /** `begin` returned false, or the call was stopped before it. */
  | { readonly kind: 'not-started' }

/** Reason for aborting a call's signal; becomes the error of the call. */
export class CallStopped extends Error {
  override readonly name = 'CallStopped'
}

/** Runs a prepared call in its workspace's box or in this process. Rejects only if no box is available. */
export async function runCall(
  call: PreparedCall,
  surroundings: CallSurroundings,
  hooks: CallHooks,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const stopped = signal.aborted
  if (stopped) return { kind: 'not-started' }
  const { workerTool } = call
  if (call.spec.restores === true) return runUndo(call, surroundings, hooks, signal)
  if (workerTool === undefined) {
    const run = (startHooks: CallHooks) => runInBoxes(call, surroundings, startHooks, signal)
    return runInTransaction(call, surroundings, hooks, signal, run)
  }
  if (!(await hooks.begin(undefined))) return { kind: 'not-started' }
  return runHere(call, workerTool, surroundings, signal)
}

// LOOP-05: only an idempotent call is run again, once, if its box died.
async function runInBoxes(
  call: PreparedCall,
  surroundings: CallSurroundings,
  hooks: CallHooks,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const tries = call.spec.idempotent ? 2 : 1
  for (let tried = 0; tried < tries; tried += 1) {
    using lease = await leaseBox(call, surroundings.pool, signal)
    if (lease === undefined) return tried === 0 ? { kind: 'not-started' } : stoppedOutcome(signal)
    if (tried === 0 && !(await hooks.begin(lease.client.process))) return { kind: 'not-started' }
    const late = AbortSignal.timeout(call.header.timeoutMs + overtimeMs)
    const either = AbortSignal.any([signal, late])
    const answer = await lease.client.call(toRequest(call, surroundings), hooks, either)
    if (call.args['background'] === true) lease.keepWarm()
    if (answer.kind === 'answered' && !isFitting(answer.outcome, call.header)) {
      lease.client.kill()
      break
    }
    const outcome = outcomeOf(answer, signal, late)
    if (outcome !== undefined) return outcome
  }
  if (!call.spec.idempotent) return { kind: 'interrupted' }
  return failure('server_error', 'The sandbox broke down twice while it ran this call')
}

/** Threat 20: rejects outcomes that an honest executor never sends for such a request. */
function isFitting(outcome: ExecutorOutcome, header: JobHeader): boolean {
  const { type, judged, listings = [], written = [], baseSha256, programs, cache } = header
  if (outcome.kind === 'elsewhere') return judged.length + listings.length + written.length > 0
  if (outcome.kind === 'changed') return baseSha256 !== undefined
  if (outcome.kind === 'unchanged') return cache?.known !== undefined
  if (outcome.kind === 'programs') {
    return type === 'preview' && outcome.files.length === programs?.length
  }
  return outcome.kind !== 'preview' || type === 'preview'
}

async function leaseBox(
  call: PreparedCall,
  pool: BoxPool,
  signal: AbortSignal,
): Promise<BoxLease | undefined> {
  try {
    const use = call.spec.runsPrograms === true ? 'commands' : 'files'
    return await pool.lease(call.header.workspaceId, signal, use)
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

function toRequest({ header, args, content }: PreparedCall, surroundings: CallSurroundings) {
  return {
    tool: header.tool,
    arguments: args,
    rules: header.rules,
    judged: header.judged,
    timeoutMs: header.timeoutMs,
    maxStreamBytes: surroundings.maxStreamBytes,
    maxDiagnostics: surroundings.maxDiagnostics,
    env: surroundings.env,
    ...(header.baseSha256 === undefined ? {} : { baseSha256: header.baseSha256 }),
    ...(content === undefined ? {} : { content }),
    ...(header.programs === undefined ? {} : { programs: header.programs }),
    ...(header.listings === undefined ? {} : { listings: header.listings }),
    ...(header.written === undefined ? {} : { written: header.written }),
    ...(header.type === 'preview' ? { preview: true } : {}),
    ...(header.cache === undefined ? {} : { cache: header.cache }),
  }
}

/** Returns the outcome of a call; undefined if its box died by itself. */
function outcomeOf(
  answer: ExecutorAnswer,
  signal: AbortSignal,
  late: AbortSignal,
): ExecutorOutcome | undefined {
  if (answer.kind === 'answered') return withReason(answer.outcome, signal)
  if (signal.aborted) return stoppedOutcome(signal)
  if (late.aborted) return failure('timeout', 'It did not end within its time limit')
  return undefined
}

/**
 * ERR-03: runs a tool in this process, with retries. A kill in between is harmless, since the tool is idempotent and runs
 * again.
 */
async function runHere(
  call: PreparedCall,
  tool: WorkerTool,
  { retries }: CallSurroundings,
  signal: AbortSignal,
): Promise<WorkerToolOutcome> {
  const { timeoutMs } = call.header
  if (call.spec.retryable !== true) return tryHere(call, tool, timeoutMs, signal)
  const run = (withinMs: number = timeoutMs) =>
    tryHere(call, tool, Math.min(timeoutMs, Math.ceil(withinMs)), signal)
  return withReason(await runWithRetries(run, retries, signal), signal)
}

async function tryHere(
  { header, args }: PreparedCall,
  tool: WorkerTool,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WorkerToolOutcome> {
  const { callId, caller, conversation, pin } = header
  const late = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, late])
  try {
    const outcome = await tool(args, {
      ...{ callId, caller, conversation, pin },
      ...{ timeoutMs, signal: either },
    })
    return withReason(outcome, signal)
  } catch (error) {
    if (signal.aborted) return stoppedOutcome(signal)
    if (late.aborted) return failure('timeout', 'It did not end within its time limit')
    throw error
  }
}

// Adds the reason of a cancellation, which the executor does not know.
function withReason<Outcome extends ExecutorOutcome | WorkerToolOutcome>(
  outcome: Outcome,
  signal: AbortSignal,
): Outcome {
  const isCancelled = outcome.kind === 'error' && outcome.error.category === 'cancelled'
  if (!isCancelled || !signal.aborted) return outcome
  return { ...outcome, error: { category: 'cancelled', message: reasonOf(signal) } }
}

function stoppedOutcome(signal: AbortSignal): Failure {
  return failure('cancelled', reasonOf(signal))
}

function reasonOf(signal: AbortSignal): string {
  return signal.reason instanceof CallStopped ? signal.reason.message : 'the call was stopped'
}
