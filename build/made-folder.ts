import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** A folder that is made of other files. */
export interface MadeFolder {
  /** The checkout. */
  readonly root: string
  /** Where it is, from `root`. */
  readonly dir: string
  /** Files and folders that it is made of, from `root`. */
  readonly sources: readonly string[]
}

/** In the folder: the digest of what it was made of. */
const digestFile = 'sources.sha256'

/** Whether it is there and was made of its sources as they are now. */
export function isCurrent({ root, dir, sources }: MadeFolder): boolean {
  return recordedDigest(join(root, dir)) === digestOf(root, sources)
}

/** Has `make` fill an empty folder, and puts that in place of the present one. */
export async function makeFolder(
  { root, dir, sources }: MadeFolder,
  make: (draft: string) => Promise<void>,
): Promise<void> {
  // First: what changes meanwhile makes the next check fail.
  const digest = digestOf(root, sources)
  const place = join(root, dir)
  await mkdir(dirname(place), { recursive: true })
  await removeLeftovers(place)
  const draft = await mkdtemp(place + draftInfix)
  try {
    await make(draft)
    await writeFile(join(draft, digestFile), `${digest}\n`)
    // Others than its maker run what is in it.
    await chmod(draft, 0o755)
    await replaceFolder(place, draft)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const draftInfix = '.draft-'

/** One digest of the names and contents of all these files, and of all below these folders. */
export function digestOf(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths.flatMap((each) => filesOf(root, each)).sort()) {
    const content = readFileSync(join(root, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function filesOf(root: string, path: string): readonly string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

function recordedDigest(place: string): string | undefined {
  try {
    return readFileSync(join(place, digestFile), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Others may do the same at the same time: the last one's folder stays. */
async function replaceFolder(place: string, draft: string): Promise<void> {
  const former = `${draft}-former`
  for (let tries = 1; ; tries += 1) {
    await rename(place, former).catch(() => undefined)
    try {
      await rename(draft, place)
      return await rm(former, { recursive: true, force: true })
    } catch (error) {
      if (tries === 5) throw error
      await rm(former, { recursive: true, force: true })
      await delay(50)
    }
  }
}

/** Of makers that were killed. */
async function removeLeftovers(place: string): Promise<void> {
  const names = await readdir(dirname(place))
  for (const name of names.filter((each) => each.startsWith(basename(place) + draftInfix))) {
    const path = join(dirname(place), name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
    if (mtimeMs < Date.now() - 3_600_000) await rm(path, { recursive: true, force: true })
  }
}
