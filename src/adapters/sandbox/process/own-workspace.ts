import { constants, type Stats, statSync } from 'node:fs'
import {
  chmod,
  cp,
  lchown,
  lstat,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../../util/digest.ts'
import { hasCode } from '../../../util/has-code.ts'
import { newId } from '../../../util/ids.ts'
import { canonicalPath, type HiddenPath, hiddenPath, isInside, outermost } from '../box-mounts.ts'
import { isReachable, makeReachable } from '../reachable.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import { claimUid } from './claim-uid.ts'

export interface WorkspaceRoots {
  readonly reachableRoot: string
  /** Directory whose workspaces may be moved. */
  readonly workspacesDir: string | undefined
}

/** Path of the workspace for an unprivileged user: its canonical path, or the path to which it is moved. */
export function reachableWorkspace(hostWorkspace: string, places: WorkspaceRoots): string {
  const canonical = canonicalPath(hostWorkspace)
  if (isReachable(canonical)) return canonical
  // Grouped by parent directory, so that a pattern for all workspaces of a directory works for their new paths too.
  const folder = sha256(dirname(canonical)).slice(0, 16)
  return join(places.reachableRoot, 'workspaces', folder, basename(canonical))
}

export interface OwnWorkspace {
  readonly path: string
  readonly uid: number
  /** Empty files and directories in place of missing masked paths. */
  readonly placeholders: readonly string[]
}

/**
 * Gives the workspace to a user of its own (BOX-08). If that user cannot reach it, it is moved and replaced by a link. `masked`
 * paths inside stay ours; the directories around them are lent.
 */
export async function ownWorkspace(
  hostWorkspace: string,
  masked: readonly string[],
  places: WorkspaceRoots,
): Promise<OwnWorkspace> {
  const canonical = canonicalPath(hostWorkspace)
  assertMayBeGiven(canonical)
  const path = reachableWorkspace(canonical, places)
  if (path !== canonical) await move(canonical, path, places)
  const uid = await claimUid(path, places.reachableRoot)
  const kept = keptOf(path, masked)
  await give(path, uid, kept)
  const ours = [places.workspacesDir && canonicalPath(places.workspacesDir), places.reachableRoot]
  const isOurs = ours.some((dir) => dir !== undefined && isInside(path, dir))
  if (isOurs && (await lstat(path)).uid === uid) await chmod(path, 0o700)
  return { path, uid, placeholders: await lendFolders(kept, uid) }
}

/**
 * Gives root's workspace to a user of its own without moving it, for a driver that hides `masked` paths itself; returns the
 * user id.
 */
export async function giveWorkspace(
  workspace: string,
  masked: readonly string[],
  reachableRoot: string,
): Promise<number> {
  const path = canonicalPath(workspace)
  assertMayBeGiven(path)
  const uid = await claimUid(path, reachableRoot)
  await give(path, uid, { ...keptOf(path, masked), folders: [] })
  return uid
}

/** Refuses system directories, as giving one away would break the host. */
function assertMayBeGiven(path: string): void {
  const system = ['/usr', '/etc', '/boot', '/proc', '/sys', '/dev', '/bin', '/sbin', '/lib']
  const tooHigh = path.split('/').length < 3
  if (tooHigh || system.some((dir) => isInside(path, dir)))
    throw new SandboxUnavailable(
      `${path} cannot be a workspace here: the sandbox gives it to another user`,
    )
}

async function move(from: string, to: string, places: WorkspaceRoots): Promise<void> {
  const { workspacesDir } = places
  const ours = workspacesDir !== undefined && isInside(from, canonicalPath(workspacesDir))
  if (!ours && (await readdir(from)).length > 0)
    throw new SandboxUnavailable(
      `commands run as another user here, who cannot enter ${from}: choose a workspace that everybody may enter, or install bubblewrap`,
    )
  await makeReachable(dirname(to))
  await moveAway(to)
  await moveAcross(from, to)
  await symlink(to, from)
}

/** Moves away what an earlier data directory left at this path, so that it is not mixed with the new content. */
async function moveAway(path: string): Promise<void> {
  if (!statSync(path, { throwIfNoEntry: false })) return
  const aside = `${path}-left-${newId()}`
  await rename(path, aside)
  await chmod(aside, 0o700)
  await lchown(aside, 0, 0)
}

async function moveAcross(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    await rm(from, { recursive: true })
  }
}

async function give(path: string, uid: number, kept: Kept): Promise<void> {
  const root = await lstat(path)
  // Already given or lent.
  if (root.uid === uid || root.gid === uid) return
  const { masked, folders } = kept
  await giveTree(path, root, { uid, keep: masked, lent: new Set(folders), device: root.dev })
}

interface Gift {
  readonly uid: number
  readonly keep: ReadonlySet<string>
  readonly lent: ReadonlySet<string>
  readonly device: number
}

/** Gives children first, so that an interrupted walk is repeated, as the top is still ours. */
async function giveTree(path: string, stats: Stats, gift: Gift): Promise<void> {
  if (gift.keep.has(path) || stats.dev !== gift.device) return
  if (stats.isDirectory())
    for await (const entry of await opendir(path)) {
      const child = join(path, entry.name)
      await giveTree(child, await lstat(child), gift)
    }
  // A hard link to the file may exist outside the workspace.
  else if (stats.nlink > 1) return
  if (!gift.lent.has(path)) await lchown(path, gift.uid, gift.uid)
}

/** Parts of a workspace that are not given to the box's user because of masked paths. */
interface Kept {
  /** Masked paths inside, canonical. */
  readonly masked: ReadonlySet<string>
  /** The workspace and the directories between it and masked paths, innermost first; empty if nothing is masked. */
  readonly folders: readonly string[]
  /** Missing masked paths, to be created so that no command can create them. */
  readonly missing: readonly HiddenPath[]
}

function keptOf(workspace: string, masked: readonly string[]): Kept {
  const all = masked
    .map(canonicalPath)
    .filter((path) => path !== workspace && isInside(path, workspace))
  const inside = outermost([...new Set(all)])
  const places = inside.map(hiddenPath)
  const folders = new Set(places.flatMap(({ path }) => foldersTo(dirname(path), workspace)))
  return {
    masked: new Set(inside),
    folders: [...folders].sort((a, b) => b.length - a.length),
    missing: places.filter(({ missing }) => missing),
  }
}

/**
 * Lends directories to a user (GATE-12): they stay ours, but the user's group may write. They are sticky, so that only own
 * entries can be removed or renamed. Returns the created placeholders.
 */
async function lendFolders(kept: Kept, uid: number): Promise<readonly string[]> {
  for (const path of kept.masked) await takeBack(path, uid)
  for (const folder of kept.folders) await lendFolder(folder, uid)
  for (const place of kept.missing) await make(place)
  return kept.missing.map(({ path }) => path)
}

async function lendFolder(folder: string, uid: number): Promise<void> {
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

async function make({ path, directory }: HiddenPath): Promise<void> {
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
