import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises'
import { hasCode } from '../../../util/has-code.ts'
import type { TarEntry } from '../../../util/tar/tar-entry.ts'
import type { TarPart } from '../../../util/tar/write-tar.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/** Flags that never follow links and never block on pipes. */
const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** The path changed to something else before it was opened. */
class Replaced extends Error {
  override name = 'Replaced'
}

/** Error codes of `open` for links, non-directories and sockets. */
const codes: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO', 'EOPNOTSUPP'])

/** Called for each file that is left out, with the reason. */
export type LeftOut = (path: string, why: string) => void

/**
 * Yields a directory and its contents as tar entries, ordered by name, directories first. Links stay links; further names
 * of a hard-linked file become links to the first. Sockets, pipes, devices and files that vanish are skipped. Commands
 * may change the tree meanwhile; nothing outside it is ever read. `as` is the path in the backup.
 */
export async function* walkFiles(
  root: string,
  name: string,
  leftOut: LeftOut,
  as = name,
): AsyncGenerator<TarPart> {
  const real = await realpath(root).catch(ifGone)
  if (real !== undefined) yield* walk({ leftOut, linked: new Map() }, `${real}/${name}`, as)
}

interface Walk {
  readonly leftOut: LeftOut
  /** First name of each hard-linked file, by device and inode. */
  readonly linked: Map<string, string>
}

/** Yields the entries of one path. `full` is its location below an open directory; `path` is its name in the backup. */
async function* walk(state: Walk, full: string, path: string): AsyncGenerator<TarPart> {
  const stats = await lstat(full).catch((error: unknown) => {
    // The parent directory can be listed but not entered.
    if (hasCode(error, 'EACCES')) state.leftOut(path, 'it cannot be read')
    else ifGone(error)
  })
  if (!stats) return
  if (stats.isSymbolicLink()) {
    const target = await readlink(full).catch(ifGone)
    if (target !== undefined) yield only({ ...entryOf(stats, path), kind: 'symlink', target })
  } else if (stats.isDirectory()) yield* directoryOf(state, stats, full, path)
  else if (stats.isFile()) yield* fileOf(state, full, path)
}

/** Opens a directory first and reads it through the handle. */
async function* directoryOf(
  state: Walk,
  found: Stats,
  full: string,
  path: string,
): AsyncGenerator<TarPart> {
  const directory = await openOr(state, path, openDirectory(full))
  if (directory === 'unreadable') return yield only({ ...entryOf(found, path), kind: 'directory' })
  if (directory === undefined) return
  try {
    yield only({ ...entryOf(await directory.stat(), path), kind: 'directory' })
    const inside = insideOf(directory, full)
    const names = await readdir(inside, { encoding: 'buffer' }).catch((error: unknown) => {
      ifGone(error)
      return []
    })
    for (const bytes of names.sort(Buffer.compare)) {
      const name = bytes.toString('utf8')
      if (Buffer.from(name).equals(bytes))
        yield* walk(state, `${inside}/${name}`, `${path}/${name}`)
      else state.leftOut(`${path}/${name}`, 'its name is no UTF-8')
    }
  } finally {
    await directory.close()
  }
}

/** Opens a file before yielding its header, so that an unreadable one has none. */
async function* fileOf(state: Walk, full: string, path: string): AsyncGenerator<TarPart> {
  const file = await openOr(state, path, openFile(full))
  if (file === undefined || file === 'unreadable') return
  try {
    const stats = await file.stat()
    const { dev, ino, nlink, size } = stats
    const first = nlink > 1 ? firstName(state, `${dev} ${ino}`, path) : undefined
    const entry = entryOf(stats, path)
    if (first !== undefined) yield only({ ...entry, kind: 'link', target: `data/${first}` })
    else if (size === 0) yield only({ ...entry, kind: 'file' })
    else {
      const content = file.createReadStream({ end: size - 1, autoClose: false })
      yield { entry: { ...entry, kind: 'file', size }, content: content as AsyncIterable<Buffer> }
    }
  } finally {
    await file.close()
  }
}

/** Opens a path and reports why it is left out; undefined if it changed or vanished. */
async function openOr(
  { leftOut }: Walk,
  path: string,
  opening: Promise<FileHandle>,
): Promise<FileHandle | 'unreadable' | undefined> {
  try {
    return await opening
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    const isReplaced = error instanceof Replaced
    if (!isReplaced && !hasCode(error, 'EACCES')) throw error
    leftOut(path, isReplaced ? error.message : 'it cannot be read')
    return isReplaced ? undefined : 'unreadable'
  }
}

function entryOf({ mode, uid, gid, mtimeMs }: Stats, path: string) {
  const mtime = Math.floor(mtimeMs / 1000)
  return { path: `data/${path}`, mode: mode & 0o777, uid, gid, mtime, size: 0, target: '' }
}

function firstName({ linked }: Walk, id: string, path: string): string | undefined {
  const first = linked.get(id)
  if (first === undefined) linked.set(id, path)
  return first
}

function only(entry: TarEntry): TarPart {
  return { entry, content: [] }
}

function ifGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}

/** Opens the directory at `path`. Throws Replaced if something else is there, otherwise like `open`. */
export function openDirectory(path: string): Promise<FileHandle> {
  return openHere(path, flags | O_DIRECTORY)
}

/** Opens the regular file at `path`; throws as openDirectory does. */
export function openFile(path: string): Promise<FileHandle> {
  return openHere(path, flags)
}

/**
 * Returns a path to the contents of an open directory that stays valid if `path` is replaced. Systems without such paths
 * get `path` itself.
 */
function insideOf({ fd }: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${fd}` : path
}

async function openHere(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags).catch((error: unknown) => {
    throw codes.has(codeOf(error)) ? new Replaced('it was replaced meanwhile') : error
  })
  try {
    const stats = await handle.stat()
    const isExpected = (flags & O_DIRECTORY) === 0 ? stats.isFile() : stats.isDirectory()
    if (isExpected && (process.platform === 'linux' || (await isAt(path, stats)))) return handle
    throw new Replaced('it was replaced meanwhile')
  } catch (error) {
    await handle.close()
    throw error
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined
}

/** True if no part of the path is a link and it still is the opened file. */
async function isAt(
  path: string,
  opened: { readonly dev: number; readonly ino: number },
): Promise<boolean> {
  const { dev, ino } = await lstat(path)
  return (await realpath(path)) === path && dev === opened.dev && ino === opened.ino
}
