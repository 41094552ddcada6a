import type { FileHandle } from 'node:fs/promises'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { assertAccess } from './file-access.ts'
import type { LocatedPath } from './locate.ts'
import { openMadeDirectory, pathOfHandle } from './open-checked.ts'

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
