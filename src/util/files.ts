import { constants, readFileSync, statSync } from 'node:fs'
import { chmod, lstat, open, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { hasCode } from './has-code.ts'

const slash = Buffer.from('/')

/** Linux's `O_PATH`, which needs no permission on the directory itself. */
const pathOnly = 0o10000000

/** A file in the bundle's folder with one line for each file: size in bytes, a space, the name. */
export const fileList = 'files.txt'

/** Whether `path` is `directory` or below it, by whole names; both absolute. */
export function isPathInside(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith('../') && !way.startsWith('/')
}

/**
 * Removes a path with its content, even below directories that their owner cannot write to; links are removed, not followed. A
 * missing path is no error.
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

/** Makes a directory and everything below it writable to its owner. */
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

/** Runs `work` with a path bound to this very directory, even if a command moves it meanwhile. */
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

/** Names of bundle files that are missing or have another size; empty if the folder is not a bundle. */
export function missingFiles(folder: string): readonly string[] {
  return listed(folder).flatMap((line) => {
    const [size = '', ...words] = line.split(' ')
    const name = words.join(' ')
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.size === Number(size) ? [] : [name]
  })
}

function listed(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, fileList), 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}

/** Flushes a directory's entries to disk, so that a file renamed into it survives a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
