import { link, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { sha256 } from '../../util/digest.ts'
import { hasCode } from '../../util/has-code.ts'
import { newId } from '../../util/ids.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { DataDirectoryInUse } from './errors.ts'
import { processStart } from './launch-postmaster.ts'

const Holder = z.object({ id: z.string().min(1), pid: z.int().positive(), start: z.string() })
type Holder = z.infer<typeof Holder>

/**
 * Locks `<dataDir>/lock` for this process, creating the directory (0700) if missing. Throws `DataDirectoryInUse` while
 * another live process, or an earlier call in this one, holds it. Takes over the lock of a dead process. Disposing
 * releases it.
 */
export async function lockDataDirectory(dataDir: string): Promise<AsyncDisposable> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const directory = await realpath(dataDir)
  const path = join(directory, 'lock')
  const start = (await processStart(process.pid)) ?? ''
  const me: Holder = { id: newId(), pid: process.pid, start }
  await acquire(directory, path, me)
  return { [Symbol.asyncDispose]: () => release(path, me) }
}

async function acquire(directory: string, path: string, me: Holder): Promise<void> {
  for (;;) {
    if (await createExclusively(path, me)) return
    const held = await readHolder(path)
    if (held === undefined) continue
    if (held.holder !== undefined && (await isAlive(held.holder))) {
      throw new DataDirectoryInUse(directory, held.holder.pid)
    }
    if (await takeOver(directory, path, held.id, me)) return
  }
}

/**
 * Replaces the lock of a dead holder. Only the owner of a claim named after that holder may do so, and it checks again
 * first; otherwise a slow contender could remove a lock that a faster one has just taken.
 */
async function takeOver(dir: string, path: string, deadId: string, me: Holder): Promise<boolean> {
  const claim = `${path}.${deadId}`
  await acquire(dir, claim, me)
  try {
    const now = await readHolder(path)
    if (now?.id !== deadId) return false
    await rename(await writeTemporary(path, me), path)
    return true
  } finally {
    await rm(claim, { force: true })
  }
}

/**
 * Creates the lock by a hard link, which fails if the name exists and otherwise shows the complete content, so that no
 * reader sees a partial lock.
 */
async function createExclusively(path: string, me: Holder): Promise<boolean> {
  const written = await writeTemporary(path, me)
  try {
    await link(written, path)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(written, { force: true })
  }
}

async function writeTemporary(path: string, me: Holder): Promise<string> {
  const temporary = `${path}~${newId()}`
  await writeFile(temporary, JSON.stringify(me), { flag: 'wx', mode: 0o600 })
  return temporary
}

/** Reads the lock. Invalid text was left by a machine crash: it has no holder and is identified by its digest. */
async function readHolder(path: string): Promise<{ id: string; holder?: Holder } | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (text === undefined) return undefined
  const parsed = Holder.safeParse(tryParseJson(text))
  return parsed.success
    ? { id: parsed.data.id, holder: parsed.data }
    : { id: sha256(text).slice(0, 32) }
}

async function isAlive(holder: Holder): Promise<boolean> {
  return (await processStart(holder.pid)) === holder.start
}

async function release(path: string, me: Holder): Promise<void> {
  const held = await readHolder(path)
  if (held?.id === me.id) await rm(path, { force: true })
}
