import { constants, createWriteStream } from 'node:fs'
import { chmod, lchown, link, mkdir, open, realpath, symlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../../../domain/command-error.ts'
import { hasCode } from '../../../util/has-code.ts'
import type { ReadEntry } from '../../../util/tar/read-tar.ts'
import type { TarEntry } from '../../../util/tar/tar-entry.ts'
import { dataParts } from './open-backup.ts'

/** Restores files of a backup into a data directory. Call `finish` last; its results survive a power failure. */
export interface FileRestorer {
  add(entry: ReadEntry): Promise<void>
  finish(): Promise<void>
}

/**
 * Creates files, links and directories with their permissions, without setuid, setgid and sticky bits, and never through
 * a link, so that a backup cannot write outside `dataDir`. Only directories may already exist. As root, owners are
 * restored too.
 */
export function createFileRestorer(dataDir: string): FileRestorer {
  const directories: MadeDirectory[] = []
  return {
    async add({ entry, content }) {
      const path = join(dataDir, relativePath(entry.path))
      await assertNoLink(dataDir, dirname(path))
      if (!(await make(dataDir, path, entry, content))) return
      await own(path, entry)
      if (entry.kind === 'directory') directories.push({ path, mode: entry.mode & 0o777 })
    },
    async finish() {
      for (const made of directories.reverse()) await finishDirectory(made)
    },
  }
}

/** Directory that stays writable for its owner until all files are in it. */
interface MadeDirectory {
  readonly path: string
  /** Final permissions. */
  readonly mode: number
}

/** Sets the permissions of a directory and flushes it to disk. Throws if it is no directory any more. */
async function finishDirectory({ path, mode }: MadeDirectory): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  const directory = await open(path, flags)
  try {
    if ((mode & 0o700) !== 0o700) await directory.chmod(mode)
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Returns the path without `data/`. Throws if it is outside the parts of a backup. */
function relativePath(path: string): string {
  const [first, part, ...rest] = path.split('/')
  const isPart = dataParts.some((name) => name === part)
  const isPlain = rest.every((name) => name !== '' && name !== '.' && name !== '..')
  if (first === 'data' && isPart && isPlain && !path.includes('\0'))
    return path.slice('data/'.length)
  throw new CommandError(
    `the backup has a path that may not be restored: ${JSON.stringify(path)}`,
    { code: 'BACKUP_INVALID' },
  )
}

async function assertNoLink(dataDir: string, directory: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const expected = join(await realpath(dataDir), directory.slice(dataDir.length))
  const real = await realpath(directory).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (real === expected) return
  throw new CommandError(`the backup has a file below a link or below nothing: ${directory}`, {
    code: 'BACKUP_INVALID',
  })
}

/** Creates an entry; false if the directory existed. */
async function make(
  dataDir: string,
  path: string,
  entry: TarEntry,
  content: ReadEntry['content'],
): Promise<boolean> {
  const mode = entry.mode & 0o777
  try {
    if (entry.kind === 'directory') await mkdir(path, { mode: mode | 0o700 })
    else if (entry.kind === 'symlink') await symlink(entry.target, path)
    else if (entry.kind === 'link') await linkTo(dataDir, entry, path)
    else await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
  } catch (error) {
    if (hasCode(error, 'EEXIST') && entry.kind === 'directory') return false
    throw error
  }
  // Set explicitly, regardless of the umask.
  if (entry.kind === 'file') await chmod(path, mode)
  if (entry.kind === 'directory') await chmod(path, mode | 0o700)
  return true
}

async function linkTo(dataDir: string, { target }: TarEntry, path: string): Promise<void> {
  const first = join(dataDir, relativePath(target))
  await assertNoLink(dataDir, dirname(first))
  await link(first, path)
}

async function own(path: string, entry: TarEntry): Promise<void> {
  if (process.geteuid?.() === 0) await lchown(path, entry.uid, entry.gid)
  if (entry.kind === 'file') await utimes(path, entry.mtime, entry.mtime)
}
