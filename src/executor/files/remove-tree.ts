import { type FileHandle, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type EntryKind, kindAt, readEntries } from './entries.ts'
import { pathBeneath, withDirectory } from './open-checked.ts'
import type { Tally } from './tally.ts'

export interface Removal {
  readonly signal: AbortSignal
  /** Updated during the removal, so that it is correct after a failure. */
  readonly tally: Tally
}

/**
 * Removes the entry at `canonical` and everything below it. Directories are opened by verified handles and entries
 * removed below them, so that inserted links are never followed (FILE-03, FILE-05).
 */
export async function removeTree(canonical: string, removal: Removal): Promise<void> {
  await withDirectory(dirname(canonical), async (handle) => {
    const path = pathBeneath(handle, dirname(canonical), basename(canonical))
    const kind = await kindAt(path)
    if (kind === undefined) return
    await removeOne(handle, { canonical, kind }, removal)
  })
}

interface OpenDirectory {
  readonly canonical: string
  readonly kind: EntryKind
}

/** Removes one entry; `parent` is the handle of its directory. */
async function removeOne(parent: FileHandle, at: OpenDirectory, removal: Removal): Promise<void> {
  removal.signal.throwIfAborted()
  const { canonical, kind } = at
  const path = pathBeneath(parent, dirname(canonical), basename(canonical))
  if (kind === 'directory') {
    await removeContents(canonical, removal)
    await rmdir(path)
  } else await unlink(path)
  removal.tally.add(kind)
}

async function removeContents(canonical: string, removal: Removal): Promise<void> {
  await withDirectory(canonical, async (handle) => {
    for (const { name, kind } of await readEntries(handle, canonical)) {
      await removeOne(handle, { canonical: join(canonical, name), kind }, removal)
    }
  })
}
