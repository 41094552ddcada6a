import { type FileHandle, mkdir, open, readlink, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Entry, kindAt, readEntries } from './entries.ts'
import { createFlags, openFile, pathBeneath, withDirectory } from './open-checked.ts'
import type { Tally } from './tally.ts'

const chunkBytes = 1024 * 1024

export interface Copying {
  readonly signal: AbortSignal
  readonly copied: Tally
  /** Entries that were left out: not allowed to be shown, or neither file, directory nor link. */
  readonly leftOut: Tally
  /** FILE-02: true if an entry of the source may be shown. */
  mayCopy(canonical: string): boolean
}

/** Directory with its canonical path and a checked handle. */
interface Held {
  readonly canonical: string
  readonly handle: FileHandle
}

/**
 * Copies `source` to `target`, which must not exist: links as links, never followed (FILE-04), files through checked
 * handles, and entries below a checked directory (FILE-03).
 */
export async function copyTree(source: string, target: string, copying: Copying): Promise<void> {
  await withDirectory(dirname(source), (from) =>
    withDirectory(dirname(target), async (to) => {
      const kind = await kindAt(pathBeneath(from, dirname(source), basename(source)))
      if (kind === undefined) return
      const held = { canonical: dirname(source), handle: from }
      const into = { canonical: dirname(target), handle: to }
      await copyOne(held, { name: basename(source), kind }, into, basename(target), copying)
    }),
  )
}

async function copyOne(
  from: Held,
  { name, kind }: Entry,
  to: Held,
  newName: string,
  copying: Copying,
): Promise<void> {
  copying.signal.throwIfAborted()
  const canonical = join(from.canonical, name)
  if (kind === 'other' || !copying.mayCopy(canonical)) return copying.leftOut.add(kind)
  const made = pathBeneath(to.handle, to.canonical, newName)
  const target = join(to.canonical, newName)
  if (kind === 'directory') await copyDirectory(canonical, made, target, copying)
  else if (kind === 'file') await copyFile(canonical, made, copying.signal)
  else await symlink(await readlink(pathBeneath(from.handle, from.canonical, name)), made)
  copying.copied.add(kind)
}

/** Copies a directory; `made` is the new one's path below its parent's handle. */
async function copyDirectory(
  source: string,
  made: string,
  target: string,
  copying: Copying,
): Promise<void> {
  await mkdir(made, { mode: 0o700 })
  await withDirectory(source, (from) =>
    withDirectory(target, async (to) => {
      const held = { canonical: source, handle: from }
      for (const entry of await readEntries(from, source)) {
        await copyOne(held, entry, { canonical: target, handle: to }, entry.name, copying)
      }
      // Last, since a read-only directory could not be filled.
      await to.chmod((await from.stat()).mode & 0o777)
    }),
  )
}

async function copyFile(source: string, made: string, signal: AbortSignal): Promise<void> {
  const from = await openFile(source, source)
  try {
    const to = await open(made, createFlags, 0o600)
    try {
      await copyBytes(from, to, signal)
      await to.chmod((await from.stat()).mode & 0o777)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function copyBytes(from: FileHandle, to: FileHandle, signal: AbortSignal): Promise<void> {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await from.read(chunk, 0, chunk.length, null)
    if (bytesRead === 0) return
    await to.writeFile(chunk.subarray(0, bytesRead))
  }
}
