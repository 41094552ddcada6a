import { constants } from 'node:fs'
import { lchown, lstat, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../../../util/has-code.ts'
import { canonicalPath } from '../canonical-path.ts'
import { type HiddenPlace, hiddenPlace } from '../hidden-place.ts'
import { isInside, outermost } from '../is-inside.ts'

/** What of a workspace is not given to the box's user, because something in it is masked. */
export interface Kept {
  /** Masked places inside, canonical. */
  readonly masked: ReadonlySet<string>
  /** The workspace and the folders between it and masked places, inner ones first; empty when nothing is masked. */
  readonly folders: readonly string[]
  /** What has to be made so that no command can make it. */
  readonly missing: readonly HiddenPlace[]
}

export function keptOf(workspace: string, masked: readonly string[]): Kept {
  const all = masked
    .map(canonicalPath)
    .filter((path) => path !== workspace && isInside(path, workspace))
  const inside = outermost([...new Set(all)])
  const places = inside.map(hiddenPlace)
  const folders = new Set(places.flatMap(({ path }) => foldersTo(dirname(path), workspace)))
  return {
    masked: new Set(inside),
    folders: [...folders].sort((a, b) => b.length - a.length),
    missing: places.filter(({ missing }) => missing),
  }
}

/**
 * GATE-12: lends folders to a user: ours, but the user's group may write. They are sticky, so that nobody can remove or
 * rename in them what is not their own. Answers what was made to keep absent places from being made.
 */
export async function lendFolders(kept: Kept, uid: number): Promise<readonly string[]> {
  for (const path of kept.masked) await takeBack(path, uid)
  for (const folder of kept.folders) await lend(folder, uid)
  for (const place of kept.missing) await make(place)
  return kept.missing.map(({ path }) => path)
}

async function lend(folder: string, uid: number): Promise<void> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const { mode } = await handle.stat()
  await handle.chown(0, uid)
  await handle.chmod((mode & 0o777) | 0o1770)
}

async function takeBack(path: string, uid: number): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.uid === uid) await lchown(path, 0, 0)
}

async function make({ path, directory }: HiddenPlace): Promise<void> {
  try {
    if (directory) await mkdir(path, { mode: 0o755 })
    else await (await open(path, 'wx', 0o644)).close()
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function foldersTo(folder: string, workspace: string): readonly string[] {
  return folder === workspace ? [folder] : [folder, ...foldersTo(dirname(folder), workspace)]
}
