import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../util/has-code.ts'
import { newId } from '../util/new-id.ts'
import { syncDirectory } from '../util/sync-directory.ts'

/**
 * Makes a file that must not exist yet, whole or not at all; false when it exists. It is written aside and linked
 * into place: as exclusive as O_EXCL, and no reader sees it half written. `durable` waits for file and directory
 * to reach the disk.
 */
export async function createFile(
  path: string,
  text: string,
  durable: boolean,
  mode = 0o600,
): Promise<boolean> {
  const aside = await writeAside(path, text, durable, mode)
  const isNew = await link(aside, path).then(() => true, refuseExisting)
  await unlink(aside)
  if (isNew && durable) await syncDirectory(dirname(path))
  return isNew
}

/** Replaces a file at once; readers see the old text or the new one. Not awaited to reach the disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeAside(path, text, false), path)
}

/** The text of a file, or undefined when there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

/** Names that begin so are being written; one that a crash left behind is nobody's. */
export const asidePrefix = '.new-'

async function writeAside(
  path: string,
  text: string,
  durable: boolean,
  mode = 0o600,
): Promise<string> {
  const aside = join(dirname(path), `${asidePrefix}${newId()}`)
  const file = await open(aside, 'wx', mode)
  try {
    await file.writeFile(text)
    if (durable) await file.sync()
  } finally {
    await file.close()
  }
  return aside
}

function refuseExisting(error: unknown): false {
  if (hasCode(error, 'EEXIST')) return false
  throw error
}
