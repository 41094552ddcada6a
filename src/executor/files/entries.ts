import type { Dirent } from 'node:fs'
import { type FileHandle, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf } from './errno.ts'
import { directoryPath, withDirectory } from './open-checked.ts'

export type EntryKind = 'directory' | 'file' | 'link' | 'other'

/** What stands in a directory, nothing followed. */
export interface Entry {
  readonly name: string
  readonly kind: EntryKind
}

/** Names and kinds in a directory, through its handle. Ends the call on a name that we cannot say again. */
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

/** Bytes that are no UTF-8 come as U+FFFD, under which nothing is found. */
async function assertSayable(path: string, directory: string): Promise<void> {
  if (!path.includes('\ufffd') || (await kindAt(path)) !== undefined) return
  const shown = showName(directory)
  fail('permanent_failure', `${shown} holds a name that is not UTF-8; a command can handle it`)
}

/** The kind of what stands at a path; undefined: nothing does. */
export async function kindAt(path: string): Promise<EntryKind | undefined> {
  try {
    return kindOf(await lstat(path))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

/** Every path below a directory, a directory before what it holds; links are not followed. */
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

/** Some file systems do not tell kinds with names. */
function isUnknown(entry: Dirent): boolean {
  const others =
    entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice()
  return kindOf(entry) === 'other' && !others
}
