import { randomBytes } from 'node:crypto'
import { type FileHandle, link, lstat, open, readdir, unlink } from 'node:fs/promises'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { errnoOf, failByErrno } from './errno.ts'
import { createFlags, directoryPath, pathBeneath } from './open-checked.ts'

/** Prefix of temporary files that are renamed into place. */
export const draftPrefix = '.countersign-'

/** Directory with its canonical path and a verified handle. */
interface Held {
  readonly directory: string
  readonly handle: FileHandle
}

/** Complete file, flushed to disk under a temporary name. */
export interface Draft {
  readonly held: Held
  readonly path: string
  readonly file: FileHandle
}

/** Age at which a draft counts as left behind by a kill. */
const staleMs = 10 * 60_000

/**
 * Runs `work` with a draft of `bytes`, readable and not executable; afterwards only the name given by `nameDraft`
 * remains. A draft left by a kill is deleted by the next call. `shown` is its path for messages.
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

/** Renames a draft in one step; false if the name is taken, even by a link or directory. */
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
      // Flushes the name to survive a power failure, where directories can be flushed.
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
  // Regardless of the umask.
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

/** Returns an unused name. */
export function newDraftName(): string {
  return `${draftPrefix}${randomBytes(9).toString('hex')}`
}

function isDraftName(name: string): boolean {
  return name.startsWith(draftPrefix) && /^[0-9a-f]{18}$/.test(name.slice(draftPrefix.length))
}
