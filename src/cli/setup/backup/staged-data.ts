import { lstat, mkdir, readdir, readFile, realpath, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../../domain/command-error.ts'
import { isPathInside, removeTree, syncDirectory } from '../../../util/files.ts'
import { hasCode } from '../../../util/has-code.ts'
import { dataParts, namedWorkspaces } from './open-backup.ts'

/** Files of a backup, unpacked next to those they replace. */
export interface StagedData {
  /** Directory into which files are unpacked, laid out like the data directory. */
  readonly directory: string
  /**
   * Moves the files to their targets and flushes them. If interrupted, each part is either old or new, and the call can
   * be repeated.
   */
  put(): Promise<void>
  /** Removes replaced and unused files as far as possible; false if some are left. */
  clear(): Promise<boolean>
}

/**
 * Prepares directories for a restore and removes those of an earlier one. Throws CommandError if a part of the data
 * directory cannot be replaced.
 */
export async function openStagedData(dataDir: string): Promise<StagedData> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await assertMovable(dataDir)
  const directory = join(dataDir, 'restore.partial')
  const replaced = join(dataDir, 'restore.replaced')
  const clear = async () => {
    await removeTree(directory)
    await removeTree(replaced)
  }
  const tryClear = () =>
    clear().then(
      () => true,
      () => false,
    )
  await clear()
  await mkdir(directory, { mode: 0o700 })
  const put = async () => {
    await mkdir(replaced, { mode: 0o700 })
    for (const part of dataParts) {
      const [from, to] = [join(directory, part), join(dataDir, part)]
      const isStaged = await exists(from)
      if (part === 'journal') await addMissing(from, to)
      else {
        if (isStaged || part !== namedWorkspaces) await move(to, join(replaced, part))
        await move(from, to)
      }
    }
    await syncDirectory(dataDir)
  }
  return { directory, put, clear: tryClear }
}

/** Throws for mounted parts, which cannot be renamed, and for a journal that is not a directory. */
async function assertMovable(dataDir: string): Promise<void> {
  const real = await realpath(dataDir)
  for (const mount of await mounts()) {
    const part = dataParts.find((name) => isPathInside(join(real, name), mount))
    if (part === undefined) continue
    throw new CommandError(
      `${mount} is mounted there, so that restore cannot replace ${join(dataDir, part)}: unmount it, or mount what holds the whole data directory. Nothing was changed.`,
      { code: 'RESTORE_TARGET' },
    )
  }
  const journal = join(dataDir, 'journal')
  const stats = await lstat(journal).catch(ifGone)
  if (stats !== undefined && !stats.isDirectory()) {
    throw new CommandError(`${journal} is no directory: remove it. Nothing was changed.`, {
      code: 'RESTORE_TARGET',
    })
  }
}

/** Returns mount points, on Linux. */
async function mounts(): Promise<readonly string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const at = line.split(' ')[4]
    return at === undefined ? [] : [at.replace(/\\([0-7]{3})/g, (_, code) => fromOctal(code))]
  })
}

function fromOctal(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 8))
}

/** Merges entries without replacing existing ones, which may know later calls. */
async function addMissing(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(ifGone)
  if (stats === undefined) return
  const present = await lstat(to).catch(ifGone)
  if (present === undefined) return await rename(from, to)
  if (!stats.isDirectory() || !present.isDirectory()) return
  for (const name of await readdir(from)) await addMissing(join(from, name), join(to, name))
  await syncDirectory(to)
  await rmdir(from).catch(() => undefined)
}

async function move(from: string, to: string): Promise<void> {
  if (await exists(from)) await rename(from, to)
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ifGone)) !== undefined
}

function ifGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error
}
