import { access, constants, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Where Linux keeps files in memory. */
export const inMemory = '/dev/shm'

/** What a run keeps at most in databases, with as much again to spare. */
const roomBytes = 3 * 1024 ** 3

/**
 * A directory in memory for the databases of tests, where the system has one with room; else the one for temporary files. A test's database is
 * some 600 files that are deleted seconds later, and ext4 passes over each inode deleted lately, one by one, for every file that it makes.
 */
export async function memoryPlace(): Promise<string> {
  const place = inMemory
  try {
    await access(place, constants.W_OK)
    const { bavail, bsize } = await statfs(place)
    if (bavail * bsize >= roomBytes) return place
  } catch {
    // Not on this system.
  }
  return tmpdir()
}
