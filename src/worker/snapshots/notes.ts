import type { ExecutorOutcome } from '../../domain/tool/executor-protocol.ts'
import { SnapshotFailed } from './answers.ts'
import type { Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** End of a call, as far as snapshots need it. */
export type Ended = ExecutorOutcome | { readonly kind: 'interrupted'; readonly note?: string }

/** Prepends a line to the output of a call. */
export function withWarning<Outcome extends Ended>(outcome: Outcome, why: string): Outcome {
  const line = `no snapshot could be taken (${why}): neither a failure nor /undo puts the workspace back`
  if (outcome.kind === 'interrupted') return { ...outcome, note: line }
  if (outcome.kind !== 'ok' && outcome.kind !== 'error') return outcome
  return { ...outcome, output: `[${line}]\n${outcome.output ?? ''}` }
}

/** Appends a line to the output of a call. */
export function withNote<Outcome extends Ended>(outcome: Outcome, note: string): Outcome {
  if (outcome.kind === 'interrupted') return { ...outcome, note }
  if (outcome.kind !== 'ok' && outcome.kind !== 'error') return outcome
  const text = outcome.output ?? ''
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  return { ...outcome, output: `${text}${gap}[${note}]` }
}

/** Describes why a snapshot failed. */
export function whyOf(error: unknown): string {
  if (error instanceof SnapshotFailed) return error.message
  return error instanceof Error && error.name === 'TimeoutError' ? 'it took too long' : 'it failed'
}

/**
 * Returns the snapshot before the last call that changed something. A call without a known end counts, since it may have
 * changed anything.
 */
export async function lastOf(store: SnapshotStore): Promise<Snapshot | undefined> {
  const next = await store.read('next')
  if (next === undefined) return store.read('last')
  await store.promote('next')
  return next
}

/** Returns the caller of that call without promoting a snapshot; undefined if there is none. */
export async function callerOfLast(store: SnapshotStore): Promise<string | undefined> {
  return ((await store.read('next')) ?? (await store.read('last')))?.caller
}
