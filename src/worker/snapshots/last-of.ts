import type { Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** The state before the last call that changed something: of one that nobody saw end too, as it may have changed anything. */
export async function lastOf(store: SnapshotStore): Promise<Snapshot | undefined> {
  const next = await store.read('next')
  if (next === undefined) return store.read('last')
  await store.promote('next')
  return next
}

/** Whose call that was, nothing promoted; undefined: there is none. */
export async function callerOfLast(store: SnapshotStore): Promise<string | undefined> {
  return ((await store.read('next')) ?? (await store.read('last')))?.caller
}
