import type { FilePiece, TreeChanges } from '../../domain/workspace-tree.ts'
import { readChanges } from './answers.ts'
import { type AskBox, batch, SnapshotFailed } from './ask-box.ts'
import { filesOf, type SavedFile, type Snapshot } from './snapshot.ts'
import type { SnapshotStore } from './snapshot-store.ts'

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
