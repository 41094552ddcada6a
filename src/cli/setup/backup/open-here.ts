import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
/** Never through a link, and never waiting for the other end of a pipe. */
const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** What was at a path is something else by the time it is opened. */
export class Replaced extends Error {
  override name = 'Replaced'
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
export function insideOf({ fd }: FileHandle, path: string): string {
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

/** What `open` says of links, of things that are no directory, and of sockets. */
const codes: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENOTDIR', 'ENXIO', 'EOPNOTSUPP'])

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
