import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { failByErrno } from './errno.ts'
import { assertAccess } from './file-access.ts'
import type { LocatedPath } from './locate.ts'
import { createFlags, openMadeDirectory, pathBeneath, pathOfHandle } from './open-checked.ts'
import { newDraftName } from './with-draft.ts'

/** File that was read before and must be unchanged when it is replaced. */
export interface Expected {
  readonly ino: bigint
  readonly mtimeNs: bigint
  /** Permission bits, which the new file keeps. */
  readonly mode: number
  /** Number of hard links; the others keep the old file. */
  readonly links: number
}

/**
 * Writes `bytes` to `place` in one step: a temporary file is renamed, both below the handle of the verified directory.
 * `expected` is undefined if nothing existed; missing parents are created. The rename replaces a link itself.
 */
export async function replaceFile(
  place: LocatedPath,
  bytes: Buffer,
  expected: Expected | undefined,
): Promise<void> {
  const directory = dirname(place.canonical)
  try {
    await withMadeDirectory(directory, place, (handle) =>
      replaceBeneath(handle, place, bytes, expected),
    )
  } catch (error) {
    failByErrno(error, place.given)
  }
}

/** Returns the identity that a later `replaceFile` must find again. */
export async function expectedOf(file: FileHandle): Promise<Expected> {
  const found = await file.stat({ bigint: true })
  const { ino, mtimeNs, mode, nlink } = found
  return { ino, mtimeNs, mode: Number(mode) & 0o777, links: Number(nlink) }
}

async function replaceBeneath(
  handle: FileHandle,
  place: LocatedPath,
  bytes: Buffer,
  expected: Expected | undefined,
): Promise<void> {
  const directory = dirname(place.canonical)
  const target = pathBeneath(handle, directory, basename(place.canonical))
  const draft = pathBeneath(handle, directory, newDraftName())
  const file = await open(draft, createFlags, 0o600)
  try {
    try {
      await file.writeFile(bytes)
      await file.chmod(expected?.mode ?? 0o644)
    } finally {
      await file.close()
    }
    await assertUnchanged(target, expected, place.given)
    await rename(draft, target)
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw error
  }
}

async function assertUnchanged(
  target: string,
  expected: Expected | undefined,
  shown: string,
): Promise<void> {
  const found = await lstat(target, { bigint: true }).catch(() => undefined)
  const isSame = found?.ino === expected?.ino && found?.mtimeNs === expected?.mtimeNs
  if (!isSame)
    fail('permanent_failure', `${showName(shown)} was changed by something else meanwhile`)
}

/**
 * Runs `work` with a handle of `directory`, which is created with its parents if missing, and is verified to be that
 * directory and writable.
 */
export async function withMadeDirectory<T>(
  directory: string,
  { access, given }: Pick<LocatedPath, 'access' | 'given'>,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openMadeDirectory(directory, given)
  try {
    const real = await pathOfHandle(handle, directory)
    assertAccess(access, real, 'write', given)
    if (real !== directory) fail('permanent_failure', `${showName(given)} was moved meanwhile`)
    return await work(handle)
  } finally {
    await handle.close()
  }
}
