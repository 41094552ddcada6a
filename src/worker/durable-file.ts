import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../util/files.ts'
import { hasCode } from '../util/has-code.ts'
import { newId } from '../util/ids.ts'

/**
 * Creates a file that must not exist, atomically; false if it exists. The text is written to a temporary file and linked
 * into place, which is as exclusive as O_EXCL and never shows a partial file. `durable` flushes file and directory to
 * disk.
 */
export async function createFile(
  path: string,
  text: string,
  durable: boolean,
  mode = 0o600,
): Promise<boolean> {
  const aside = await writeTemporary(path, text, durable, mode)
  const isNew = await link(aside, path).then(() => true, refuseExisting)
  await unlink(aside)
  if (isNew && durable) await syncDirectory(dirname(path))
  return isNew
}

/** Replaces a file atomically, without flushing it to disk. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await rename(await writeTemporary(path, text, false), path)
}

/** Reads a file; undefined if it does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

/** Prefix of temporary files; one left by a crash can be ignored. */
export const asidePrefix = '.new-'

async function writeTemporary(
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
