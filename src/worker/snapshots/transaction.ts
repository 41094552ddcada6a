import type { FilePiece, TreeChanges } from '../../domain/workspace-tree.ts'
import { type AskBox, batch, readChanges, SnapshotFailed } from './answers.ts'
import { type Ended, lastOf, whyOf, withNote, withWarning } from './notes.ts'
import { filesOf, type SavedFile, type Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { takeSnapshot } from './take-snapshot.ts'

const mostNamed = 10

/** Time limit of taking or restoring a snapshot, in milliseconds. */
const longestMs = 120_000

/** Runs work with a box of the workspace, a new one if the last has died. */
export type WithBox = <T>(work: (ask: AskBox) => Promise<T>, signal: AbortSignal) => Promise<T>

interface TransactionOptions {
  readonly store: SnapshotStore
  readonly withBox: WithBox
  readonly maxBytes: number
  /** Caller of the call. */
  readonly caller: string
  /** True if the call must not run with a `problem`. */
  readonly isRequired: boolean
  /** True if the call keeps working after its answer, so that it cannot be undone automatically. */
  readonly isBackground: boolean
}

/** Snapshots before this call, and before the last call that changed something. */
interface States {
  readonly before: Snapshot
  readonly last: Snapshot | undefined
}

/** BASH-07: call that may write, with the snapshot before it. */
export class Transaction {
  readonly #options: TransactionOptions
  readonly #states: States | string

  private constructor(options: TransactionOptions, states: States | string) {
    this.#options = options
    this.#states = states
  }

  /** Takes the snapshot; `problem` tells why there is none. Rejects only when `signal` is aborted. */
  static async begin(options: TransactionOptions, signal: AbortSignal): Promise<Transaction> {
    const { store, isRequired } = options
    try {
      return new Transaction(options, await take(options, signal))
    } catch (error) {
      // An older snapshot predates another call; restoring it would also undo this one.
      if (!signal.aborted && !isRequired) await store.drop('last').catch(() => undefined)
      await store.tidy().catch(() => undefined)
      signal.throwIfAborted()
      return new Transaction(options, whyOf(error))
    }
  }

  /** Reason why there is no snapshot, for people; undefined if there is one. */
  get problem(): string | undefined {
    return typeof this.#states === 'string' ? this.#states : undefined
  }

  /** Restores the workspace if the call failed, and reports it. Never rejects. */
  async settle<Outcome extends Ended>(outcome: Outcome): Promise<Outcome> {
    const states = this.#states
    if (typeof states === 'string') return withWarning(outcome, states)
    try {
      if (isUntouched(outcome)) await this.#forget(states)
      else if (hasFailed(outcome)) return await this.#rollBack(outcome, states)
      else await this.#keep(states)
      return outcome
    } catch (error) {
      return withNote(outcome, `the snapshot could not be kept: ${whyOf(error)}`)
    }
  }

  /** Keeps the snapshot, unless the call changed nothing; then the previous one remains the last. */
  async #keep(states: States): Promise<void> {
    const { store, isBackground } = this.#options
    if (!isBackground && (await this.#isUnchanged(states))) return this.#forget(states)
    await store.promote('next')
    await store.collect(states.before)
  }

  async #forget({ last }: States): Promise<void> {
    const { store } = this.#options
    await store.drop('next')
    await store.collect(last)
  }

  async #isUnchanged({ before }: States): Promise<boolean> {
    const late = AbortSignal.timeout(longestMs)
    const compare = (ask: AskBox) => compareSnapshot(ask, before, late)
    return this.#options.withBox(compare, late).then(isSame, () => false)
  }

  /** Restores the workspace after a failure, even if the call was stopped. */
  async #rollBack<Outcome extends Ended>(outcome: Outcome, states: States): Promise<Outcome> {
    const { store, withBox } = this.#options
    const late = AbortSignal.timeout(longestMs)
    try {
      const restore = (ask: AskBox) => restoreSnapshot(store, ask, states.before, late)
      const changes = await withBox(restore, late)
      await this.#forget(states)
      if (isSame(changes)) return outcome
      const done = 'it failed, so the workspace was put back as it was before'
      return withNote(outcome, `${done}: ${countChanges(changes)}`)
    } catch (error) {
      const failed = 'it failed, and the workspace could not be put back as it was before'
      return withNote(outcome, `${failed}: ${whyOf(error)}. /undo tries again`)
    }
  }
}

async function take(
  { store, withBox, maxBytes, caller }: TransactionOptions,
  signal: AbortSignal,
): Promise<States> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(longestMs)])
  await store.prepare()
  const last = await lastOf(store)
  const options = { known: last, caller, maxBytes, signal: either }
  const before = await withBox((ask) => takeSnapshot(store, ask, options), either)
  await store.write('next', before)
  // The target of an unfinished `/undo` is not the state that this call starts from.
  await store.drop('redo')
  return { before, last }
}

function isUntouched({ kind }: Ended): boolean {
  return kind === 'elsewhere' || kind === 'changed' || kind === 'preview' || kind === 'programs'
}

function hasFailed(outcome: Ended): boolean {
  if (outcome.kind !== 'ok') return true
  return outcome.envelope !== undefined && outcome.envelope.exit_code !== 0
}

/** Formats the number of changes, such as `2 files restored, 1 entry removed`. */
export function countChanges({ removed, made, modes, lost, wanted }: TreeChanges): string {
  const parts = [
    counted(wanted.length, 'file restored', 'files restored'),
    counted(made, 'directory or link made again', 'directories and links made again'),
    counted(
      modes,
      'directory given its permissions back',
      'directories given their permissions back',
    ),
    counted(removed, 'new entry removed', 'new entries removed'),
    counted(lost, 'special file could not be made again', 'special files could not be made again'),
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** Formats the first few paths, one a line. */
export function nameChanges({ named }: TreeChanges): string {
  return namePaths(named)
}

/** Formats the first few paths of a list. */
export function namePaths(paths: readonly string[]): string {
  const lines = paths.slice(0, mostNamed).map((path) => `  ${shown(path)}`)
  return [...lines, ...(paths.length > mostNamed ? ['  …'] : [])].join('\n')
}

/** Escapes a file name, which may contain anything, to one line. */
function shown(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString()).slice(1, -1)
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`
}

/** Compares the workspace with a snapshot. */
export async function compareSnapshot(
  ask: AskBox,
  { entries }: Snapshot,
  signal: AbortSignal,
): Promise<TreeChanges> {
  return readChanges(await ask('snapshot:restore', { entries, dryRun: true }, signal))
}

/** True if there is no difference that could be restored. */
export function isSame({ removed, made, modes, wanted }: TreeChanges): boolean {
  return removed + made + modes + wanted.length === 0
}

/** BASH-07: restores the workspace from a snapshot. After a failure the call can be repeated. */
export async function restoreSnapshot(
  store: SnapshotStore,
  ask: AskBox,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<TreeChanges> {
  if (!(await store.isWhole(snapshot))) throw new SnapshotFailed('the snapshot is damaged')
  const { entries } = snapshot
  const changes = readChanges(await ask('snapshot:restore', { entries }, signal))
  const files = filesOf(snapshot)
  const wanted = changes.wanted.flatMap((path) => files.get(path) ?? [])
  let some: FilePiece[] = []
  let bytes = 0
  const send = async (): Promise<void> => {
    if (some.length > 0) await ask('snapshot:put', { pieces: some }, signal)
    some = []
    bytes = 0
  }
  for await (const piece of piecesOf(store, wanted)) {
    some.push(piece)
    bytes += piece.content.length
    if (bytes >= batch.bytes || some.length >= batch.count) await send()
  }
  await send()
  await ask('snapshot:restore', { entries, finish: true }, signal)
  return changes
}

async function* piecesOf(
  store: SnapshotStore,
  files: readonly SavedFile[],
): AsyncGenerator<FilePiece, void> {
  for (const { path, mode, size, mtimeUs, stamp, content } of files) {
    let offset = 0
    do {
      const bytes = await store.readContent(content, offset, Math.min(batch.bytes, size - offset))
      const isLast = offset + bytes.length >= size
      if (!isLast && bytes.length === 0) throw new SnapshotFailed('the snapshot is damaged')
      const text = bytes.toString('base64')
      yield { path, mode, size, mtimeUs, stamp, offset, content: text, isLast }
      offset += bytes.length
    } while (offset < size)
  }
}
