import type { TreeEntry } from '../../domain/workspace-tree.ts'
import {
  type AskBox,
  batch,
  misbehaved,
  type Piece,
  readPieces,
  readTree,
  SnapshotFailed,
} from './answers.ts'
import { filesOf, type SavedEntry, type SavedFile, type Snapshot } from './snapshot.ts'
import type { ContentWriter, SnapshotStore } from './snapshot-store.ts'

/** Maximum number of entries; larger trees are usually under version control. */
const maxEntries = 50_000

type FileEntry = Extract<TreeEntry, { kind: 'file' }>

/**
 * BASH-07: takes a snapshot of the workspace, reusing unchanged contents of `known`. Rejects with SnapshotFailed above
 * `maxBytes`, or if something cannot be read.
 */
export async function takeSnapshot(
  store: SnapshotStore,
  ask: AskBox,
  { known, caller, maxBytes, signal }: TakeOptions,
): Promise<Snapshot> {
  const tree = readTree(await ask('snapshot:survey', { maxEntries, maxBytes }, signal))
  if (tree.entries.length > maxEntries) misbehaved()
  const before = filesOf(known)
  const kept = (entry: FileEntry): SavedFile | undefined => {
    const file = before.get(entry.path)
    return file?.stamp === entry.stamp ? file : undefined
  }
  const files = tree.entries.filter((entry) => entry.kind === 'file')
  const reading = new Reading(store, ask, { maxBytes, signal })
  const read = await reading.all(files.filter((file) => kept(file) === undefined))
  const entries = tree.entries.flatMap((entry): readonly SavedEntry[] => {
    if (entry.kind !== 'file') return [entry]
    const saved = kept(entry) ?? read.get(entry.path)
    return saved === undefined ? [] : [saved]
  })
  return { caller, entries }
}

export interface TakeOptions {
  readonly known: Snapshot | undefined
  /** Caller of the call that follows. */
  readonly caller: string
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Transfer of files from a box into the store. */
class Reading {
  readonly #store: SnapshotStore
  readonly #ask: AskBox
  readonly #options: Pick<TakeOptions, 'maxBytes' | 'signal'>
  readonly #saved = new Map<string, SavedFile>()
  #bytes = 0

  constructor(
    store: SnapshotStore,
    ask: AskBox,
    options: Pick<TakeOptions, 'maxBytes' | 'signal'>,
  ) {
    this.#store = store
    this.#ask = ask
    this.#options = options
  }

  /** Reads files; omits those that are no longer files. */
  async all(files: readonly FileEntry[]): Promise<ReadonlyMap<string, SavedFile>> {
    let at = 0
    while (at < files.length) {
      const some = files.slice(at, at + batch.count)
      const pieces = await this.#read(some.map(({ path }) => ({ path, offset: 0 })))
      for (const [index, piece] of pieces.entries()) {
        if (piece.path !== some[index]?.path) misbehaved()
        await this.#save(piece)
      }
      at += pieces.length
    }
    return this.#saved
  }

  async #save(first: Piece): Promise<void> {
    if ('isGone' in first) return
    await using writer = await this.#store.createContent()
    const size = await this.#copy(first, writer)
    const { path, mode, mtimeUs, stamp } = first
    this.#saved.set(path, { kind: 'file', path, mode, mtimeUs, stamp, size, content: writer.name })
  }

  async #copy(first: Exclude<Piece, { isGone: true }>, writer: ContentWriter): Promise<number> {
    let piece = first
    let size = 0
    for (;;) {
      const bytes = Buffer.from(piece.content, 'base64')
      this.#bytes += bytes.length
      size += bytes.length
      // The file may have grown since the survey.
      if (this.#bytes > this.#options.maxBytes) throw new SnapshotFailed('it grows too fast')
      await writer.write(bytes)
      if (piece.isLast) return size
      const [next] = await this.#read([{ path: first.path, offset: size }])
      if (next === undefined || 'isGone' in next || next.path !== first.path) return size
      if (bytes.length === 0) misbehaved()
      piece = next
    }
  }

  async #read(
    files: readonly { readonly path: string; readonly offset: number }[],
  ): Promise<readonly Piece[]> {
    const { signal } = this.#options
    const answer = await this.#ask('snapshot:read', { files, maxBytes: batch.bytes }, signal)
    const pieces = readPieces(answer)
    if (pieces.length === 0 || pieces.length > files.length) misbehaved()
    return pieces
  }
}
