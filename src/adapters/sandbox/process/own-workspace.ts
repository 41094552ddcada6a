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
import { hasCode } from '../../../util/has-code.ts'
import { newId } from '../../../util/new-id.ts'
import { sha256 } from '../../../util/sha256.ts'
import { canonicalPath } from '../canonical-path.ts'
import { type HiddenPlace, hiddenPlace } from '../hidden-place.ts'
import { isInside, outermost } from '../is-inside.ts'
import { isReachable, makeReachable } from '../reachable.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import { claimUid } from './claim-uid.ts'

export interface WorkspacePlaces {
  readonly reachableRoot: string
  /** Workspaces below it are ours to move. */
  readonly workspacesDir: string | undefined
}

/** Where an unprivileged user finds the workspace: its canonical path, or the place it is moved to. */
export function reachableWorkspace(hostWorkspace: string, places: WorkspacePlaces): string {
  const canonical = canonicalPath(hostWorkspace)
  if (isReachable(canonical)) return canonical
  // Named by its folder, not by its whole path: a pattern for all workspaces of a folder is one for their places too.
  const folder = sha256(dirname(canonical)).slice(0, 16)
  return join(places.reachableRoot, 'workspaces', folder, basename(canonical))
}

export interface OwnWorkspace {
  readonly path: string
  readonly uid: number
  /** Empty files and folders that stand for masked places which are not there. */
  readonly placeholders: readonly string[]
}

/**
 * Gives the workspace to a user of its own (BOX-08). One that lies below a folder which that user cannot enter is moved,
 * and a link left in its place. `masked` places inside stay ours, and so do the folders around them, which are lent.
 */
export async function ownWorkspace(
  hostWorkspace: string,
  masked: readonly string[],
  places: WorkspacePlaces,
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
 * Gives root's workspace to a user of its own where it lies, for a driver that hides `masked` places by itself; answers
 * the user's number.
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

/** To give a system's folder to a box would break the host. */
function assertMayBeGiven(path: string): void {
  const system = ['/usr', '/etc', '/boot', '/proc', '/sys', '/dev', '/bin', '/sbin', '/lib']
  const tooHigh = path.split('/').length < 3
  if (tooHigh || system.some((dir) => isInside(path, dir)))
    throw new SandboxUnavailable(
      `${path} cannot be a workspace here: the sandbox gives it to another user`,
    )
}

async function move(from: string, to: string, places: WorkspacePlaces): Promise<void> {
  const { workspacesDir } = places
  const ours = workspacesDir !== undefined && isInside(from, canonicalPath(workspacesDir))
  if (!ours && (await readdir(from)).length > 0)
    throw new SandboxUnavailable(
      `commands run as another user here, who cannot enter ${from}: choose a workspace that everybody may enter, or install bubblewrap`,
    )
  await makeReachable(dirname(to))
  await setAside(to)
  await moveAcross(from, to)
  await symlink(to, from)
}

/** What an earlier data directory at the same place left behind; never mixed with the present one. */
async function setAside(path: string): Promise<void> {
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
  // Given already, or lent.
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

/** Children first: a walk that was cut short is done again, since the top is still ours. */
async function giveTree(path: string, stats: Stats, gift: Gift): Promise<void> {
  if (gift.keep.has(path) || stats.dev !== gift.device) return
  if (stats.isDirectory())
    for await (const entry of await opendir(path)) {
      const child = join(path, entry.name)
      await giveTree(child, await lstat(child), gift)
    }
  // A second name of a file may lie outside the workspace.
  else if (stats.nlink > 1) return
  if (!gift.lent.has(path)) await lchown(path, gift.uid, gift.uid)
}

/** What of a workspace is not given to the box's user, because something in it is masked. */
interface Kept {
  /** Masked places inside, canonical. */
  readonly masked: ReadonlySet<string>
  /** The workspace and the folders between it and masked places, inner ones first; empty when nothing is masked. */
  readonly folders: readonly string[]
  /** What has to be made so that no command can make it. */
  readonly missing: readonly HiddenPlace[]
}

function keptOf(workspace: string, masked: readonly string[]): Kept {
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
async function lendFolders(kept: Kept, uid: number): Promise<readonly string[]> {
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
