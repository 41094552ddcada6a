import type { Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'

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
