import { type FileHandle, link, lstat, open, readdir, unlink } from 'node:fs/promises'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { isDraftName, newDraftName } from './draft-name.ts'
import { errnoOf, failByErrno } from './errno.ts'
import { createFlags, directoryPath, pathBeneath } from './open-checked.ts'

/** A directory's path without links, and its checked handle. */
export interface Held {
  readonly directory: string
  readonly handle: FileHandle
}

/** A file that is whole and on the disk, under a name that nobody looks for. */
export interface Draft {
  readonly held: Held
  readonly path: string
  readonly file: FileHandle
}

/** No draft is written for so long: what is older was left by a kill. */
const staleMs = 10 * 60_000

/**
 * Does `work` with a draft that holds `bytes`, readable and never executable; afterwards only what `nameDraft` called it is left.
 * A kill leaves the draft, which goes with the next one here. `shown` is what it is for.
 */
export async function withDraft<T>(
  held: Held,
  bytes: Buffer,
  shown: string,
  work: (draft: Draft) => Promise<T>,
): Promise<T> {
  await removeStale(held).catch(() => undefined)
  const path = pathBeneath(held.handle, held.directory, newDraftName())
  const file = await open(path, createFlags, 0o600).catch((error) => failByErrno(error, shown))
  try {
    await write(file, bytes).catch((error) => failByErrno(error, shown))
    return await work({ held, path, file })
  } finally {
    await file.close()
    await unlink(path).catch(() => undefined)
  }
}

/** Names a draft, in one step; false: something has this name already, be it a link or a directory. */
export async function nameDraft(
  { held, path, file }: Draft,
  name: string,
  shown: string,
): Promise<boolean> {
  const target = pathBeneath(held.handle, held.directory, name)
  try {
    await link(path, target)
    const [there, ours] = await Promise.all([
      lstat(target, { bigint: true }),
      file.stat({ bigint: true }),
    ])
    if (there.ino === ours.ino && there.dev === ours.dev) {
      // The name outlives a power cut too, where directories can be written out.
      await held.handle.sync().catch(() => undefined)
      return true
    }
  } catch (error) {
    return errnoOf(error) === 'EEXIST' ? false : failByErrno(error, shown)
  }
  return fail('permanent_failure', `${showName(shown)} was changed by something else meanwhile`)
}

async function write(file: FileHandle, bytes: Buffer): Promise<void> {
  await file.writeFile(bytes)
  // Whatever the umask is.
  await file.chmod(0o644)
  await file.sync()
}

async function removeStale({ handle, directory }: Held): Promise<void> {
  for (const name of await readdir(directoryPath(handle, directory))) {
    if (!isDraftName(name)) continue
    const path = pathBeneath(handle, directory, name)
    const found = await lstat(path)
    if (found.isFile() && Date.now() - found.mtimeMs > staleMs) await unlink(path)
  }
}
