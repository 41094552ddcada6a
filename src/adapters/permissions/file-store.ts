import { randomUUID } from 'node:crypto'
import { chown, link, mkdir, open, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertRulesText, assertWorkerName, maxRulesCharacters } from '../../domain/rules-text.ts'
import type { PermissionsStore } from '../../ports/permissions-store.ts'
import { syncDirectory } from '../../util/files.ts'
import { hasCode } from '../../util/has-code.ts'

/** `seed` is the text a worker starts with. */
export interface FilePermissionsOptions {
  readonly dataDir: string
  readonly seed: string
}

const lockTries = 200
const lockPauseMs = 25
const lockStaleMs = 10_000
const rereadPauseMs = 20
/** UTF-8 takes three bytes a UTF-16 unit at most: what is read of a longer file is still too long to count. */
const mostBytes = 3 * maxRulesCharacters + 3

interface Loaded {
  readonly text: string
  readonly version: string
}

/**
 * GATE-04: `{dataDir}/workers/<worker>/permissions.jsonc`, made on first use, read again whenever inode, size, mtime or
 * ctime change. Writers take turns by a lock file, write beside it, sync and rename (INT-34, INT-35).
 */
export function createFilePermissionsStore(options: FilePermissionsOptions): PermissionsStore {
  const cache = new Map<string, Loaded>()
  const pathOf = (worker: string): string => {
    assertWorkerName(worker)
    return join(options.dataDir, 'workers', worker, 'permissions.jsonc')
  }
  return {
    describe: pathOf,
    async load(worker) {
      const path = pathOf(worker)
      const version = (await versionOf(path)) ?? (await seed(path, options.seed))
      const cached = cache.get(worker)
      if (cached?.version === version) return cached
      const loaded = await readSettled(path)
      cache.set(worker, loaded)
      return loaded
    },
    async save(worker, version, text) {
      const path = pathOf(worker)
      assertRulesText(text)
      return await underLock(`${path}.lock`, async () => {
        if ((await versionOf(path)) !== version) return false
        await replace(path, text)
        return true
      })
    },
  }
}

async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return `${ino}-${size}-${mtimeNs}-${ctimeNs}`
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Whoever comes second keeps what the first one made. */
async function seed(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = await writeTemporary(path, text)
  try {
    await link(temporary, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(temporary)
  }
  await syncDirectory(dirname(path))
  const version = await versionOf(path)
  if (version === undefined) throw new Error(`${path} vanished while it was made`)
  return version
}

/** An editor may be in the middle of writing: a text that changed while it was read is read once more. */
async function readSettled(path: string): Promise<Loaded> {
  const first = await readOnce(path)
  if (first.isSettled && looksWhole(first.text)) return first
  await sleep(rereadPauseMs)
  return await readOnce(path)
}

async function readOnce(path: string): Promise<Loaded & { readonly isSettled: boolean }> {
  const before = await versionOf(path)
  const text = await readStart(path)
  const version = (await versionOf(path)) ?? ''
  return { text, version: before ?? version, isSettled: before === version }
}

/** Reads a file of rules again whenever it has changed; undefined: it is not there. */
export function createRulesFile(path: string): () => Promise<string | undefined> {
  let known: Loaded | undefined
  return async () => {
    const version = await versionOf(path)
    if (version === undefined) return undefined
    if (known?.version !== version) known = await readSettled(path)
    return known.text
  }
}

/** A file of rules, which may be another's than a worker's; undefined: it is not there. One that is too long is read as far as shows it. */
export async function readRulesFile(path: string): Promise<string | undefined> {
  return readStart(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
}

/** A file that grew beyond all reason is not taken into memory. */
async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size <= mostBytes) return await file.readFile('utf8')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Half a file ends before its last brace. */
function looksWhole(text: string): boolean {
  return text.includes('}')
}

async function replace(path: string, text: string): Promise<void> {
  const { uid, gid } = await stat(path)
  const temporary = await writeTemporary(path, text)
  try {
    // Root may edit for whoever runs the product, and must not take the file away from it.
    if (uid !== process.getuid?.()) await chown(temporary, uid, gid)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  return temporary
}

/** A lock left behind by a crash is broken after a while; an edit takes milliseconds. */
async function underLock<T>(path: string, edit: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < lockTries; attempt += 1) {
    if (await takeLock(path)) {
      try {
        return await edit()
      } finally {
        await rm(path, { force: true })
      }
    }
    await breakStale(path)
    await sleep(lockPauseMs)
  }
  throw new Error(`somebody else keeps ${path}; remove it if nobody edits the rules`)
}

async function takeLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.close()
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function breakStale(path: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > lockStaleMs) await rm(path, { force: true })
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}
