import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import type { SnapshotLimits } from '../../domain/workspace-tree.ts'
import type { JobHeader } from '../../rules/jobs/contract.ts'
import type { BoxPool } from '../box/box-pool.ts'
import type { PreparedCall } from '../prepare-call.ts'
import type { ProcessIdentity } from '../process-identity.ts'
import { type Failure, failure } from '../retry-limits.ts'
import { askBox, SnapshotFailed } from './answers.ts'
import { callerOfLast, type Ended } from './notes.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { Transaction, type WithBox } from './transaction.ts'
import { NotAuthorOfChange, undoLast } from './undo-last.ts'

export interface SnapshotPlaces {
  readonly pool: BoxPool
  /** Returns the snapshot store of a call's workspace; absent if none are kept. */
  readonly snapshotsOf?: (header: JobHeader) => SnapshotStore
}

interface Begins {
  begin(box: ProcessIdentity | undefined): Promise<boolean>
}

/**
 * BASH-07: runs a call between a snapshot and, if it fails, its restoration. The snapshot is taken once the call has
 * started, so that a duplicate job takes none.
 */
export async function runInTransaction<Hooks extends Begins, Outcome extends Ended>(
  call: PreparedCall,
  places: SnapshotPlaces,
  hooks: Hooks,
  signal: AbortSignal,
  run: (hooks: Hooks) => Promise<Outcome | { readonly kind: 'not-started' }>,
): Promise<Outcome | Failure | { readonly kind: 'not-started' }> {
  const { transaction: limits } = call.header
  const store = places.snapshotsOf?.(call.header)
  if (limits === undefined) return runUnkept(call, store, hooks, run)
  // A call of a cleared session may still be finishing and restore over what this one writes.
  using _turn = await store?.enter(signal).catch(() => undefined)
  if (signal.aborted) return { kind: 'not-started' }
  let opened: Transaction | Failure | undefined
  const begin = async (box: ProcessIdentity | undefined): Promise<boolean> => {
    if (!(await hooks.begin(box))) return false
    opened = await openTransaction(call, places.pool, store, limits, signal)
    return opened instanceof Transaction
  }
  const outcome = await run({ ...hooks, begin })
  if (opened === undefined) return outcome
  if (!(opened instanceof Transaction)) return opened
  return outcome.kind === 'not-started' ? outcome : await opened.settle(outcome as Outcome)
}

/**
 * Runs a call without a snapshot. Existing snapshots predate it and are deleted, since restoring one would also undo this
 * call.
 */
function runUnkept<Hooks extends Begins, Outcome>(
  { header, spec }: PreparedCall,
  store: SnapshotStore | undefined,
  hooks: Hooks,
  run: (hooks: Hooks) => Promise<Outcome>,
): Promise<Outcome> {
  if (store === undefined || header.type !== 'run' || !spec.mutating) return run(hooks)
  const begin = async (box: ProcessIdentity | undefined): Promise<boolean> => {
    const hasStarted = await hooks.begin(box)
    if (hasStarted) await store.clear()
    return hasStarted
  }
  return run({ ...hooks, begin })
}

/** Opens a transaction; returns a failure if the call must not run. */
async function openTransaction(
  call: PreparedCall,
  pool: BoxPool,
  store: SnapshotStore | undefined,
  { maxBytes, isRequired }: SnapshotLimits,
  signal: AbortSignal,
): Promise<Transaction | Failure> {
  if (store === undefined) return refusal('this worker keeps no snapshots')
  const isBackground = call.args['background'] === true
  const { caller } = call.header
  const withBox = withBoxOf(call, pool)
  const options = { store, withBox, maxBytes, caller, isRequired, isBackground }
  try {
    const transaction = await Transaction.begin(options, signal)
    if (transaction.problem === undefined || !isRequired) return transaction
    return refusal(`no snapshot of the workspace can be taken: ${transaction.problem}`)
  } catch (error) {
    if (!signal.aborted) throw error
    return failure('cancelled', 'the call was stopped before it began')
  }
}

/** BASH-07: implements `/undo`, in a new box, because processes in the old one could write during the restoration. */
export async function runUndo(
  call: PreparedCall,
  places: SnapshotPlaces,
  hooks: Begins,
  signal: AbortSignal,
): Promise<ExecutorOutcome | { readonly kind: 'not-started' }> {
  const { transaction: limits, workspaceId, caller } = call.header
  const store = places.snapshotsOf?.(call.header)
  if (limits === undefined || store === undefined) return refusal('no snapshots are kept')
  const isOwn = call.args['own'] !== false
  const withBox = withBoxOf(call, places.pool)
  try {
    using _turn = await store.enter(signal)
    // Stops running processes only for a change of the caller's own, or for an approver.
    if (!isOwn || (await callerOfLast(store)) === caller) places.pool.retire(workspaceId)
    using lease = await places.pool.lease(workspaceId, signal)
    if (!(await hooks.begin(lease.client.process))) return { kind: 'not-started' }
    const anyway = call.args['anyway'] === true
    const options = { store, withBox, maxBytes: limits.maxBytes, caller, isOwn, anyway }
    const output = await undoLast(options, signal)
    return { kind: 'ok', output }
  } catch (error) {
    if (signal.aborted) return failure('cancelled', 'it was stopped; /undo tries again')
    if (error instanceof NotAuthorOfChange) return failure('policy_blocked', notAuthorMessage)
    if (error instanceof SnapshotFailed) return failure('permanent_failure', error.message)
    throw error
  }
}

function withBoxOf({ header }: PreparedCall, pool: BoxPool): WithBox {
  return async (work, signal) => {
    using lease = await pool.lease(header.workspaceId, signal)
    return await work(askBox(lease.client, header.rules))
  }
}

const notAuthorMessage = 'Only the person whose change it was, or an approver, may undo it.'

function refusal(why: string): Failure {
  return failure('policy_blocked', `not run: ${why}`)
}
