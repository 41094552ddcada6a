import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutorOutcome } from '../../../domain/tool/executor-protocol.ts'
import type { Call } from '../../call.ts'
import { showName } from '../../show-text.ts'
import { failByErrno } from '../errno.ts'
import { locate } from '../locate.ts'
import { directoryPath, openDirectory } from '../open-checked.ts'

const kinds = ['dir', 'file', 'symlink'] as const
type Kind = (typeof kinds)[number]

/** Implements the tool `list_directory` (FILE-04): classifies entries without following links. */
export async function listDirectory(call: Call): Promise<ExecutorOutcome> {
  const place = await locate(call, 'path', 'read')
  const entries = await readEntries(place.canonical, place.given)
  const visible = entries.filter(({ name }) => place.access.mayShow(join(place.canonical, name)))
  const lines = kinds.flatMap((kind) =>
    visible
      .filter((entry) => entry.kind === kind)
      .map(({ name }) => `[${kind}] ${showName(name)}`)
      .sort(),
  )
  return { kind: 'ok', output: lines.length === 0 ? '(the directory is empty)' : lines.join('\n') }
}

interface Entry {
  readonly name: string
  readonly kind: Kind
}

/** Reads names and kinds of a directory through its verified handle. */
async function readEntries(canonical: string, shown: string): Promise<Entry[]> {
  const handle = await openDirectory(canonical, shown)
  try {
    const path = directoryPath(handle, canonical)
    const entries = await readdir(path, { withFileTypes: true })
    return await Promise.all(
      entries.map(async (entry) => ({ name: entry.name, kind: await kindOf(entry, path) })),
    )
  } catch (error) {
    return failByErrno(error, shown)
  } finally {
    await handle.close()
  }
}

/** Returns the kind, which some file systems do not report with names. Pipes, sockets and devices count as files. */
async function kindOf(entry: Dirent, path: string): Promise<Kind> {
  if (entry.isDirectory()) return 'dir'
  if (entry.isSymbolicLink()) return 'symlink'
  if (entry.isFile()) return 'file'
  const found = await lstat(join(path, entry.name)).catch(() => undefined)
  if (found?.isDirectory()) return 'dir'
  return found?.isSymbolicLink() ? 'symlink' : 'file'
}
