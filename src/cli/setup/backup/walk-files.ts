import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readlink, realpath } from 'node:fs/promises'
import { hasCode } from '../../../util/has-code.ts'
import type { TarEntry } from '../../../util/tar/tar-entry.ts'
import type { TarPart } from '../../../util/tar/write-tar.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants

/** Never through a link, and never waiting for the other end of a pipe. */
const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** What was at a path is something else by the time it is opened. */
class Replaced extends Error {
  override name = 'Replaced'
}

/** What `open` says of links, of things that are no directory, and of sockets. */
const codes: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO', 'EOPNOTSUPP'])

/** Is told of each file that is left out, and why. */
export type LeftOut = (path: string, why: string) => void

/**
 * A directory and all in it as entries of a tar file, in the order of names, each directory before what it holds. Links
 * are kept as links; names of one file beyond the first are links to the first. Sockets, pipes and devices are no data, and
 * files that vanish meanwhile are skipped. Commands may change the tree meanwhile: nothing outside of it is ever read.
 * `as` is its path in the backup.
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
  /** Files with several names: the first of them, by device and number. */
  readonly linked: Map<string, string>
}

/** `full` is where it is found, below a directory that is open; `path` is its name in the backup. */
async function* walk(state: Walk, full: string, path: string): AsyncGenerator<TarPart> {
  const stats = await lstat(full).catch((error: unknown) => {
    // Below a directory that may be listed and not entered.
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

/** Opened before it is given out, and read through what was opened. */
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

/** Opened before its header is given out, so that one that cannot be read has none. */
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

/** Says why something is left out; undefined: it is not there as it was found. */
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

/** Opens the directory at `path`. Throws Replaced where a link or another thing is there by now, else as `open` does. */
export function openDirectory(path: string): Promise<FileHandle> {
  return openHere(path, flags | O_DIRECTORY)
}

/** Opens the regular file at `path`; throws as openDirectory does. */
export function openFile(path: string): Promise<FileHandle> {
  return openHere(path, flags)
}

/**
 * The path by which the system finds what is in an open directory, wherever `path`, by which it was opened, leads by now. Systems
 * without such paths have `path` itself.
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

/** Whether no part of the path is a link, and what was opened is what is there. */
async function isAt(
  path: string,
  opened: { readonly dev: number; readonly ino: number },
): Promise<boolean> {
  const { dev, ino } = await lstat(path)
  return (await realpath(path)) === path && dev === opened.dev && ino === opened.ino
}
