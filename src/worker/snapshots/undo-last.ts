import { isExecutableConfig } from '../../shared/executable-config.ts'
import { type AskBox, SnapshotFailed } from './answers.ts'
import { lastOf, whyOf } from './notes.ts'
import type { Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { takeSnapshot } from './take-snapshot.ts'
import {
  compareSnapshot,
  countChanges,
  isSame,
  nameChanges,
  namePaths,
  restoreSnapshot,
  type WithBox,
} from './transaction.ts'

const longestMs = 240_000

export interface UndoOptions {
  readonly store: SnapshotStore
  readonly withBox: WithBox
  readonly maxBytes: number
  /** Caller of `/undo`. */
  readonly caller: string
  /** True to undo only a change of the caller's own. */
  readonly isOwn: boolean
  /** True if the current state may be lost when it cannot be kept. */
  readonly anyway: boolean
}

/** DECISION-20: the last change was made by somebody else. */
export class NotAuthorOfChange extends Error {
  override readonly name = 'NotTheirs'
}

/**
 * BASH-07: implements `/undo`: restores the snapshot before the last change. The replaced state becomes the last
 * snapshot, so that another `/undo` restores it. Returns a description for people. Rejects with NotTheirs or
 * SnapshotFailed.
 */
export async function undoLast(options: UndoOptions, signal: AbortSignal): Promise<string> {
  const { store, withBox } = options
  const either = AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
  await store.prepare()
  const last = await wholeLastOf(store)
  if (options.isOwn && last.caller !== options.caller) throw new NotAuthorOfChange()
  if (!options.anyway) await assertNoOrders(withBox, last, either)
  const left = await keepForRedo(options, last, either)
  if (typeof left === 'string' && !options.anyway) throw new SnapshotFailed(wouldBeLost(left))
  const changes = await withBox((ask) => restoreSnapshot(store, ask, last, either), either)
  const isKept = typeof left !== 'string'
  await (isKept ? store.promote('redo') : store.drop('last'))
  await store.collect(isKept ? left : undefined)
  if (isSame(changes)) return 'The workspace was as it had been: nothing to undo.'
  const again = isKept
    ? '/undo once more brings it back.'
    : `This cannot be undone: no snapshot could be taken (${left}).`
  return `Undone: ${countChanges(changes)}. ${again}\n${nameChanges(changes)}`
}

/** SHELL-11: refuses to silently restore hooks and settings that a person removed. */
async function assertNoOrders(
  withBox: WithBox,
  last: Snapshot,
  signal: AbortSignal,
): Promise<void> {
  const { wanted, made } = await withBox((ask) => compareSnapshot(ask, last, signal), signal)
  const links = last.entries.flatMap(({ kind, path }) => (kind === 'link' ? [path] : []))
  const orders = [...wanted, ...(made > 0 ? links : [])].filter((path) =>
    isExecutableConfig(Buffer.from(path, 'latin1').toString()),
  )
  if (orders.length === 0) return
  throw new SnapshotFailed(
    `nothing was undone: it would put back files from which programs may take what they run. /undo anyway does it all the same:\n${namePaths(orders)}`,
  )
}

function wouldBeLost(why: string): string {
  return `nothing was undone: what is in the workspace now cannot be kept (${why}), so what goes would be lost. /undo anyway does it all the same`
}

async function wholeLastOf(store: SnapshotStore): Promise<Snapshot> {
  const last = await lastOf(store)
  if (last === undefined) throw new SnapshotFailed('there is no snapshot to go back to')
  if (await store.isWhole(last)) return last
  // Otherwise the next snapshot would reuse its contents.
  await store.drop('last')
  throw new SnapshotFailed('the snapshot is damaged')
}

/** Keeps the current state for redo, or returns why it cannot. An unfinished `/undo` has already kept it. */
async function keepForRedo(
  { store, withBox, maxBytes, caller }: UndoOptions,
  known: Snapshot,
  signal: AbortSignal,
): Promise<Snapshot | string> {
  const kept = await store.read('redo')
  if (kept !== undefined) return kept
  try {
    const take = (ask: AskBox) => takeSnapshot(store, ask, { known, caller, maxBytes, signal })
    const now = await withBox(take, signal)
    await store.write('redo', now)
    return now
  } catch (error) {
    await store.tidy().catch(() => undefined)
    signal.throwIfAborted()
    return whyOf(error)
  }
}
