import type { Dirent } from 'node:fs'
import { type FileHandle, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf } from './errno.ts'
import { directoryPath, withDirectory } from './open-checked.ts'

export type EntryKind = 'directory' | 'file' | 'link' | 'other'

/** Directory entry; links are not followed. */
export interface Entry {
  readonly name: string
  readonly kind: EntryKind
}

/** Reads names and kinds through a directory's handle. Ends the call at a name that is not UTF-8. */
export async function readEntries(handle: FileHandle, canonical: string): Promise<Entry[]> {
  const path = directoryPath(handle, canonical)
  const found = await readdir(path, { withFileTypes: true })
  for (const { name } of found) await assertSayable(join(path, name), canonical)
  return Promise.all(
    found.map(async (entry) => ({
      name: entry.name,
      kind: kindOf(isUnknown(entry) ? await lstat(join(path, entry.name)) : entry),
    })),
  )
}

/** Invalid UTF-8 is decoded as U+FFFD, under which no file is found. */
async function assertSayable(path: string, directory: string): Promise<void> {
  if (!path.includes('\ufffd') || (await kindAt(path)) !== undefined) return
  const shown = showName(directory)
  fail('permanent_failure', `${shown} holds a name that is not UTF-8; a command can handle it`)
}

/** Returns the kind of the entry at a path; undefined if there is none. */
export async function kindAt(path: string): Promise<EntryKind | undefined> {
  try {
    return kindOf(await lstat(path))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Yields every path below a directory, directories before their contents; links are not followed. */
export async function* pathsBelow(
  canonical: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const open = [canonical]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    signal.throwIfAborted()
    const directory = at
    const entries = await withDirectory(directory, (handle) => readEntries(handle, directory))
    for (const { name, kind } of entries) {
      const path = join(directory, name)
      yield path
      if (kind === 'directory') open.push(path)
    }
  }
}

type Kinds = Pick<Dirent, 'isDirectory' | 'isFile' | 'isSymbolicLink'>

function kindOf(entry: Kinds): EntryKind {
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFile() ? 'file' : 'other'
}

/** True if the file system does not report kinds with names. */
function isUnknown(entry: Dirent): boolean {
  const others =
    entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
  return kindOf(entry) === 'other' && !others
}
