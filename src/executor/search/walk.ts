import { type Dirent, realpathSync } from 'node:fs'
import { setImmediate as immediate } from 'node:timers/promises'
import { errnoOf } from '../files/errno.ts'
import type { FileAccess } from '../files/file-access.ts'
import { readCheckedDirectory } from '../files/open-checked.ts'

/** Directories that are skipped unless named (FILE-04). */
const skippedNames = ['.git', 'node_modules', 'target'] as const

export interface Found {
  readonly canonical: string
  /** Path relative to the root of the walk. */
  readonly relative: string
  readonly kind: 'directory' | 'file' | 'link' | 'other'
}

interface WalkOptions {
  readonly access: FileAccess
  /** Names of skipped directories. */
  readonly skipped: ReadonlySet<string>
  /** Filters entries by relative path, before more expensive checks. */
  readonly isWanted?: (relative: string) => boolean
  readonly signal: AbortSignal
}

/** Returns the skipped names without those that a pattern or path names. */
export function stillSkipped(...texts: readonly string[]): ReadonlySet<string> {
  const named = new Set(texts.flatMap((text) => text.split(/[/{},]/)))
  return new Set(skippedNames.filter((name) => !named.has(name)))
}

/** Milliseconds for which a walk may block other work, such as a cancellation. */
const sliceMs = 10

/**
 * Returns everything below the directory `root` that may be shown, unordered. Directories are opened by verified handles,
 * links are never followed, and links that lead outside are left out. Directories are read synchronously in slices of 10
 * ms, which is several times faster for many small ones.
 */
export async function walk(root: string, options: WalkOptions): Promise<Found[]> {
  const found: Found[] = []
  const open = ['']
  let sliceEnd = performance.now() + sliceMs
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    options.signal.throwIfAborted()
    for (const entry of readDirectory(root, at, options)) {
      if (entry.isWanted) found.push(entry)
      if (entry.kind === 'directory') open.push(entry.relative)
    }
    if (performance.now() > sliceEnd) {
      await immediate()
      sliceEnd = performance.now() + sliceMs
    }
  }
  return found
}

/** Reads the visible entries of a directory; of unwanted ones only directories. */
function readDirectory(
  root: string,
  at: string,
  { access, skipped, isWanted = () => true }: WalkOptions,
): (Found & { readonly isWanted: boolean })[] {
  const [inRoot, inTree] = [at === '' ? '' : `${at}/`, root === '/' ? '/' : `${root}/`]
  const found: (Found & { readonly isWanted: boolean })[] = []
  for (const entry of readEntries(at === '' ? root : `${inTree}${at}`)) {
    const relative = `${inRoot}${entry.name}`
    const kind = kindOf(entry)
    const wanted = isWanted(relative)
    if (kind === 'directory' ? skipped.has(entry.name) : !wanted) continue
    const canonical = `${inTree}${relative}`
    if (!access.mayShow(canonical)) continue
    if (kind === 'link' && !leadsInside(canonical, access)) continue
    found.push({ canonical, relative, kind, isWanted: wanted })
  }
  return found
}

/** Reads a directory; empty if it is meanwhile gone, moved or forbidden. */
function readEntries(canonical: string): readonly Dirent[] {
  try {
    return readCheckedDirectory(canonical)
  } catch (error) {
    if (errnoOf(error) !== undefined) return []
    throw error
  }
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isDirectory()) return 'directory'
  if (entry.isSymbolicLink()) return 'link'
  return entry.isFile() ? 'file' : 'other'
}

function leadsInside(link: string, access: FileAccess): boolean {
  try {
    return access.mayShow(realpathSync(link))
  } catch {
    return false
  }
}
