import { lstat, readlink, symlink, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256 } from '../../../util/digest.ts'
import { hasCode } from '../../../util/has-code.ts'
import { makeReachable } from '../reachable.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'

/**
 * User ids without accounts: above those of people, below those that systemd assigns (61184), and within the 65,536 of a
 * container. `nobody` is not suitable, as other services use it.
 */
export const uidRange = { first: 52_000, count: 8_000 } as const

/**
 * Returns the user id of a workspace, which is not shared and does not change while the workspace exists. The claim is a link
 * `<root>/uids/<uid>` to the workspace, created atomically. Once all ids are claimed, those of deleted workspaces are released.
 */
export async function claimUid(
  workspace: string,
  root: string,
  range: Readonly<{ first: number; count: number }> = uidRange,
): Promise<number> {
  const dir = join(root, 'uids')
  await makeReachable(dir)
  const kept = await keptUid(workspace, dir)
  if (kept !== undefined) return kept
  const start = Number.parseInt(sha256(workspace).slice(0, 8), 16)
  const files = Array.from({ length: range.count }, (_, step) =>
    join(dir, String(range.first + ((start + step) % range.count))),
  )
  const file = (await firstClaimed(files, workspace)) ?? (await afterRelease(files, workspace))
  if (file !== undefined) return Number(basename(file))
  throw new SandboxUnavailable(
    `no user id is left for a workspace: ${dir} holds ${range.count}, all of workspaces that exist`,
  )
}

/** The user, or group if the workspace is only lent, that a workspace has already by its claim. */
async function keptUid(workspace: string, dir: string): Promise<number | undefined> {
  const owner = await lstat(workspace).catch(() => undefined)
  for (const id of owner === undefined ? [] : [owner.uid, owner.gid]) {
    if ((await claimant(join(dir, String(id)))) === workspace) return id
  }
  return undefined
}

async function firstClaimed(
  files: readonly string[],
  workspace: string,
): Promise<string | undefined> {
  for (const file of files) {
    if ((await link(workspace, file)) || (await claimant(file)) === workspace) return file
  }
  return undefined
}

async function afterRelease(
  files: readonly string[],
  workspace: string,
): Promise<string | undefined> {
  for (const file of files) await releaseDeleted(file)
  return firstClaimed(files, workspace)
}

/** Removes the claim of a deleted workspace. Only the lock's holder may; a lock that a crash left costs this one id. */
async function releaseDeleted(file: string): Promise<void> {
  const lock = `${file}.lock`
  if (!(await isDeleted(await claimant(file))) || !(await link(file, lock))) return
  // Another process may have released it, and a new workspace claimed it, before this one had the lock.
  if (await isDeleted(await claimant(file))) await unlink(file)
  await unlink(lock)
}

/** The workspace that has claimed an id; undefined if none has. */
async function claimant(file: string): Promise<string | undefined> {
  try {
    return await readlink(file)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** True if the workspace is gone, but not with its parent, as on a disk that is not mounted. */
async function isDeleted(workspace: string | undefined): Promise<boolean> {
  if (workspace === undefined) return false
  return (await isMissing(workspace)) && !(await isMissing(dirname(workspace)))
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return false
  } catch (error) {
    return hasCode(error, 'ENOENT')
  }
}

async function link(target: string, file: string): Promise<boolean> {
  try {
    await symlink(target, file)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}
