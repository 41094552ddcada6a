import type { ExecutorOutcome } from '../../domain/executor-protocol.ts'
import type { BoxPool } from '../box-pool.ts'
import type { PreparedCall } from '../prepare-call.ts'
import type { ProcessIdentity } from '../process-identity.ts'
import { askBox, SnapshotFailed } from './ask-box.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { type Ended, Transaction, undoLast, type WithBox } from './transaction.ts'

export interface SnapshotPlaces {
  readonly pool: BoxPool
  /** Where the snapshots of a workspace are kept; undefined: nowhere. */
  readonly snapshotsOf?: (workspaceId: string) => SnapshotStore
}

interface Begins {
  begin(box: ProcessIdentity | undefined): Promise<boolean>
}

type Failure = Extract<ExecutorOutcome, { kind: 'error' }>

/**
 * BASH-07: runs a call between a snapshot and, where it fails, going back to it. The snapshot is taken once the call has begun, so
 * that a copy of its job that begins nothing takes none.
 */
export async function runInTransaction<Hooks extends Begins, Outcome extends Ended>(
  call: PreparedCall,
  places: SnapshotPlaces,
  hooks: Hooks,
  signal: AbortSignal,
  run: (hooks: Hooks) => Promise<Outcome | { readonly kind: 'not-begun' }>,
): Promise<Outcome | Failure | { readonly kind: 'not-begun' }> {
  const limits = call.header.transaction
  if (limits === undefined) return run(hooks)
  const store = places.snapshotsOf?.(call.header.workspaceId)
  if (store === undefined) return refusal('this worker keeps no snapshots')
  let transaction: Transaction | undefined
  let refused: Failure | undefined
  const begin = async (box: ProcessIdentity | undefined): Promise<boolean> => {
    if (!(await hooks.begin(box))) return false
    try {
      transaction = await Transaction.begin(
        {
          store,
          withBox: withBoxOf(call, places.pool),
          maxBytes: limits.maxBytes,
          isBackground: call.args['background'] === true,
        },
        signal,
      )
    } catch {
      refused = { kind: 'error', error: { category: 'cancelled', message: 'the call was stopped' } }
    }
    const problem = transaction?.problem
    if (problem !== undefined && limits.isRequired) {
      refused = refusal(`no snapshot of the workspace can be taken: ${problem}`)
    }
    return refused === undefined
  }
  const outcome = await run({ ...hooks, begin })
  if (refused !== undefined) return refused
  return transaction === undefined || outcome.kind === 'not-begun'
    ? outcome
    : transaction.settle(outcome as Outcome)
}

/** BASH-07: `/undo`. In a fresh box: what runs in the old one could write while the workspace is put back. */
export async function runUndo(
  call: PreparedCall,
  places: SnapshotPlaces,
  hooks: Begins,
  signal: AbortSignal,
): Promise<ExecutorOutcome | { readonly kind: 'not-begun' }> {
  const { transaction: limits, workspaceId } = call.header
  const store = places.snapshotsOf?.(workspaceId)
  if (limits === undefined || store === undefined) return refusal('no snapshots are kept')
  places.pool.retire(workspaceId)
  using lease = await places.pool.lease(workspaceId, signal)
  if (!(await hooks.begin(lease.client.process))) return { kind: 'not-begun' }
  try {
    const withBox = withBoxOf(call, places.pool)
    return {
      kind: 'ok',
      output: await undoLast({ store, withBox, maxBytes: limits.maxBytes }, signal),
    }
  } catch (error) {
    const category = signal.aborted ? 'cancelled' : 'permanent_failure'
    const message =
      error instanceof SnapshotFailed ? error.message : 'it was ended half-way; /undo tries again'
    return { kind: 'error', error: { category, message } }
  }
}

function withBoxOf({ header }: PreparedCall, pool: BoxPool): WithBox {
  return async (work, signal) => {
    using lease = await pool.lease(header.workspaceId, signal)
    return await work(askBox(lease.client, header.rules))
  }
}

function refusal(why: string): Failure {
  return { kind: 'error', error: { category: 'policy_blocked', message: `not run: ${why}` } }
}
