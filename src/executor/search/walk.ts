import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileAccess } from '../files/file-access.ts'
import { directoryPath, openDirectory } from '../files/open-checked.ts'
import { Refusal } from '../refusal.ts'

/** Directories that are not searched unless they are named (FILE-04). */
const skippedNames = ['.git', 'node_modules', 'target'] as const

interface Found {
  readonly canonical: string
  /** Relative to where the walk began. */
  readonly relative: string
  readonly kind: 'directory' | 'file' | 'link' | 'other'
}

interface WalkOptions {
  readonly access: FileAccess
  /** Names of directories left out. */
  readonly skipped: ReadonlySet<string>
  readonly signal: AbortSignal
}

/** Which of the skipped names remain so when a pattern or path names some of them. */
export function stillSkipped(...texts: readonly string[]): ReadonlySet<string> {
  const named = new Set(texts.flatMap((text) => text.split(/[/{},]/)))
  return new Set(skippedNames.filter((name) => !named.has(name)))
}

/**
 * Everything below the directory `root` that may be shown, directories before what they hold. Each directory is opened
 * by a checked handle, links are never followed, and links that lead outside are left out.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<Found> {
  const open: string[] = ['']
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    options.signal.throwIfAborted()
    for (const entry of await readEntries(join(root, at))) {
      const relative = join(at, entry.name)
      const canonical = join(root, relative)
      const kind = kindOf(entry)
      if (kind === 'directory' && options.skipped.has(entry.name)) continue
      if (!options.access.mayShow(canonical)) continue
      if (kind === 'link' && !(await leadsInside(canonical, options.access))) continue
      yield { canonical, relative, kind }
      if (kind === 'directory') open.push(relative)
    }
  }
}

/** A directory that is gone, moved or forbidden meanwhile counts as empty. */
async function readEntries(canonical: string): Promise<Dirent[]> {
  try {
    const handle = await openDirectory(canonical, canonical)
    try {
      return await readdir(directoryPath(handle, canonical), { withFileTypes: true })
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (error instanceof Refusal || (error instanceof Error && 'code' in error)) return []
    throw error
  }
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFile() ? 'file' : 'other'
}

async function leadsInside(link: string, access: FileAccess): Promise<boolean> {
  return realpath(link).then(
    (target) => access.mayShow(target),
    () => false,
  )
}
