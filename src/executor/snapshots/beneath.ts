import { closeSync, constants, openSync } from 'node:fs'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants
/** FILE-03: never follows a link and never blocks on a pipe. */
export const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY

/** Open directory of the workspace; `path` is for systems where a descriptor has no path. */
export interface Folder {
  readonly descriptor: number
  readonly path: Buffer
}

/** Encoding of paths with one character a byte. */
const encoding = 'latin1'

/** Returns a path to `name` in this folder, even if the folder was moved. */
export function beneath(folder: Folder, name: string): Buffer {
  return Buffer.concat([folderPath(folder), Buffer.from(`/${name}`, encoding)])
}

export function folderPath({ descriptor, path }: Folder): Buffer {
  return process.platform === 'linux' ? Buffer.from(`/proc/self/fd/${descriptor}`) : path
}

/** Runs `work` in the workspace itself. */
export async function inWorkspace<T>(
  workspace: string,
  work: (folder: Folder) => T | Promise<T>,
): Promise<T> {
  return inFolder(Buffer.from(workspace), work)
}

/** Runs `work` in a folder of `parent` that is not a link. */
export function inChild<T>(
  parent: Folder,
  name: string,
  work: (folder: Folder) => T | Promise<T>,
): Promise<T> {
  return inFolder(beneath(parent, name), work)
}

/** Runs `work` in the parent folder of `path`, with its name there; no part of the path may be a link. */
export async function inParent<T>(
  workspace: Folder,
  path: string,
  work: (folder: Folder, name: string) => T | Promise<T>,
): Promise<T> {
  const names = namesIn(path)
  const last = names.pop()
  if (last === undefined) return fail('invalid_parameters', 'path: expected the path of an entry')
  const descend = (folder: Folder, left: readonly string[]): T | Promise<T> => {
    const [next, ...rest] = left
    return next === undefined
      ? work(folder, last)
      : inChild(folder, next, (child) => descend(child, rest))
  }
  return descend(workspace, names)
}

/** Splits a relative path into names. Ends the call if one would lead outside. */
export function namesIn(path: string): string[] {
  const names = path.split('/')
  const isWrong = names.some((name) => name === '' || name === '.' || name === '..')
  if (isWrong || path.includes('\0'))
    fail('invalid_parameters', `${shown(path)}: not a relative path`)
  return names
}

/** Formats a path for people. */
export function shown(path: string): string {
  return showName(Buffer.from(path, encoding).toString())
}

/** Encodes a text as its UTF-8 bytes, one character each. */
export function bytewise(text: string): string {
  return Buffer.from(text).toString(encoding)
}

async function inFolder<T>(path: Buffer, work: (folder: Folder) => T | Promise<T>): Promise<T> {
  const descriptor = openSync(path, readFlags | O_DIRECTORY)
  try {
    return await work({ descriptor, path })
  } finally {
    closeSync(descriptor)
  }
}
