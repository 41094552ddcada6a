import {
  closeSync,
  constants,
  type Dirent,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { type FileHandle, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fail, Refusal } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf, failByErrno } from './errno.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY, O_NOCTTY } =
  constants
/** FILE-03: creates a new file and never opens an existing one. */
export const createFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY
/** FILE-03: opens for reading without creating, truncating, following a final link or blocking on a pipe. */
const lookFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Opens `canonical` for reading and verifies that the handle is at that path. The caller closes it. */
export async function openChecked(
  canonical: string,
  shown: string,
  flags = 0,
): Promise<FileHandle> {
  let handle: FileHandle
  try {
    handle = await open(canonical, lookFlags | flags)
  } catch (error) {
    return failByErrno(error, shown)
  }
  try {
    if ((await pathOfHandle(handle, canonical)) !== canonical) failAsMoved(shown)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a regular file; anything else is refused unread. */
export async function openFile(canonical: string, shown: string): Promise<FileHandle> {
  const handle = await openChecked(canonical, shown)
  try {
    const found = await handle.stat()
    if (found.isDirectory()) fail('permanent_failure', `${showName(shown)} is a directory`)
    if (!found.isFile()) fail('permanent_failure', `${showName(shown)} is not a regular file`)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Opens a regular file; undefined if there is none. */
export async function openFileIfThere(
  canonical: string,
  shown: string,
): Promise<FileHandle | undefined> {
  try {
    return await openFile(canonical, shown)
  } catch (error) {
    if (error instanceof Refusal && (await isMissing(canonical))) return undefined
    throw error
  }
}

export async function openDirectory(canonical: string, shown: string): Promise<FileHandle> {
  return openChecked(canonical, shown, O_DIRECTORY)
}

/**
 * Opens the directory `canonical`, creating missing parents, each below the handle of the one above, so that an inserted
 * link has no effect.
 */
export async function openMadeDirectory(canonical: string, shown: string): Promise<FileHandle> {
  const missing: string[] = []
  let existing = canonical
  while (await isMissing(existing)) {
    missing.unshift(basename(existing))
    existing = dirname(existing)
  }
  let handle = await openDirectory(existing, shown)
  for (const name of missing) {
    const parent = handle
    try {
      existing = join(existing, name)
      handle = await makeBeneath(parent, existing, shown)
    } finally {
      await parent.close()
    }
  }
  return handle
}

/**
 * Reads the directory `canonical` through a verified handle; empty if it was replaced meanwhile. Synchronous; throws
 * system errors.
 */
export function readCheckedDirectory(canonical: string): readonly Dirent[] {
  const descriptor = openSync(canonical, lookFlags | O_DIRECTORY)
  try {
    const isLinux = process.platform === 'linux'
    const path = isLinux ? `/proc/self/fd/${descriptor}` : canonical
    const real = isLinux ? readlinkSync(path) : realpathSync(canonical)
    return real === canonical ? readdirSync(path, { withFileTypes: true }) : []
  } finally {
    closeSync(descriptor)
  }
}

/** Runs `work` with a verified handle of the directory `canonical`. */
export async function withDirectory<T>(
  canonical: string,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openDirectory(canonical, canonical)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

/** Returns a path to `name` in the directory of `handle`, even if the directory was moved. */
export function pathBeneath(handle: FileHandle, directory: string, name: string): string {
  return join(directoryPath(handle, directory), name)
}

/** Returns a path to the directory that is bound to its handle, where the system supports it. */
export function directoryPath(handle: FileHandle, directory: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : directory
}

async function makeBeneath(parent: FileHandle, path: string, shown: string): Promise<FileHandle> {
  const made = pathBeneath(parent, dirname(path), basename(path))
  try {
    await mkdir(made, { mode: 0o755 })
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') failByErrno(error, shown)
  }
  try {
    return await open(made, lookFlags | O_DIRECTORY)
  } catch (error) {
    return failByErrno(error, shown)
  }
}

/** Returns the current path of a handle. Without `/proc` the path is looked up again, which leaves a small race. */
export async function pathOfHandle(handle: FileHandle, canonical: string): Promise<string> {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`)
  const [real, there, held] = await Promise.all([
    realpath(canonical),
    stat(canonical),
    handle.stat(),
  ])
  return there.ino === held.ino && there.dev === held.dev ? real : ''
}

async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => errnoOf(error) === 'ENOENT',
  )
}

function failAsMoved(shown: string): never {
  fail(
    'permanent_failure',
    `${showName(shown)} was moved or replaced while it was opened; try again`,
  )
}
