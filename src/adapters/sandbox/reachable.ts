import { constants, statSync } from 'node:fs'
import { chmod, copyFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../util/digest.ts'
import { newId } from '../../util/ids.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

/** Whether every user may enter all existing directories above `path`. */
export function isReachable(path: string): boolean {
  const parent = dirname(path)
  if (parent === path) return true
  const mode = statSync(parent, { throwIfNoEntry: false })?.mode
  return (mode === undefined || (mode & 0o001) !== 0) && isReachable(parent)
}

/** The file itself if every user may run it, otherwise a copy below `root`, made once per version of the file. */
export async function reachableProgram(file: string, root: string): Promise<string> {
  const { mode, size, mtimeMs } = await stat(file)
  if (isReachable(file) && (mode & 0o005) === 0o005) return file
  const version = sha256(JSON.stringify([file, size, mtimeMs])).slice(0, 16)
  const copy = join(root, `program-${version}`, basename(file))
  if (!statSync(copy, { throwIfNoEntry: false })) {
    await makeReachable(dirname(copy))
    await copyProgram(file, copy)
  }
  return copy
}

/**
 * A copy below `root` that everyone may execute but no one may read, made once per version of the file. The kernel protects its
 * processes from being traced, and their memory and descriptors from being read, by other processes of the same user: commands
 * cannot answer calls in place of the executor.
 */
export async function sealedProgram(file: string, root: string): Promise<string> {
  const { size, mtimeMs } = await stat(file)
  const version = sha256(JSON.stringify([file, size, mtimeMs])).slice(0, 16)
  const copy = join(root, `sealed-${version}`, basename(file))
  if (!statSync(copy, { throwIfNoEntry: false })) {
    await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
    await copyProgram(file, copy, 0o111)
  }
  return copy
}

async function copyProgram(file: string, copy: string, mode = 0o755): Promise<void> {
  const draft = `${copy}-${newId()}`
  try {
    await copyFile(file, draft, constants.COPYFILE_FICLONE)
    await chmod(draft, mode)
    await rename(draft, copy)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Creates a directory that every user may enter and only we may change. Rejects if a directory above it is closed. */
export async function makeReachable(dir: string): Promise<void> {
  if (!isReachable(dir))
    throw new SandboxUnavailable(`${dir} lies below a folder that not everybody may enter`)
  const first = await mkdir(dir, { recursive: true, mode: 0o755 })
  if (first !== undefined) await openFrom(first, dir)
}

/** Opens the directories from `first` down to `dir` to everybody, as a strict umask removes bits from the mode of `mkdir`. */
export async function openFrom(first: string, dir: string): Promise<void> {
  await chmod(dir, 0o755)
  if (dir !== first) await openFrom(first, dirname(dir))
}
