import { constants } from 'node:fs'
import { chmod, lstat, open, readdir, rm } from 'node:fs/promises'
import { hasCode } from './has-code.ts'

/**
 * Removes what is at `path` with all in it, also below directories that their owner may not write in; links are removed, not
 * followed. It is no error that nothing is there.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await remove(path)
  } catch (error) {
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM')) throw error
    await openUp(path)
    await remove(path)
  }
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true })
}

/** Makes a directory and all below it writable to their owner. */
async function openUp(path: string | Buffer): Promise<void> {
  if (!(await lstat(path)).isDirectory()) return
  await inDirectory(path, async (place) => {
    await chmod(place, 0o700)
    for (const entry of await readdir(place, { withFileTypes: true, encoding: 'buffer' })) {
      const inside = Buffer.concat([Buffer.from(place), slash, entry.name])
      if (entry.isDirectory()) await openUp(inside)
    }
  })
}

const slash = Buffer.from('/')

/** Linux's `O_PATH`, which needs no permission on the directory itself. */
const pathOnly = 0o10000000

/** Does `work` with a path by which the system finds this very directory, wherever a command moves it meanwhile. */
async function inDirectory(
  path: string | Buffer,
  work: (place: string) => Promise<void>,
): Promise<void> {
  if (process.platform !== 'linux') return await work(path.toString())
  const handle = await open(path, pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await work(`/proc/self/fd/${handle.fd}`)
  } finally {
    await handle.close()
  }
}
