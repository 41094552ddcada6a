import { lstat, readlink, rename, symlink, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
 * `<root>/uids/<uid>` to the workspace, created atomically. Once all ids are claimed, the id of a deleted workspace is reused.
 */
export async function claimUid(
  workspace: string,
  root: string,
  range: Readonly<{ first: number; count: number }> = uidRange,
): Promise<number> {
  const dir = join(root, 'uids')
  await makeReachable(dir)
  const start = Number.parseInt(sha256(workspace).slice(0, 8), 16)
  for (const take of [claim, takeOver]) {
    for (let step = 0; step < range.count; step += 1) {
      const uid = range.first + ((start + step) % range.count)
      if (await take(join(dir, String(uid)), workspace)) return uid
    }
  }
  throw new SandboxUnavailable(
    `no user id is left for a workspace: ${dir} holds ${range.count}, all of workspaces that exist`,
  )
}

async function claim(file: string, workspace: string): Promise<boolean> {
  return (await link(workspace, file)) || (await readlink(file)) === workspace
}

/** Takes a deleted workspace's claim over. A lock that a crash left costs this one id. */
async function takeOver(file: string, workspace: string): Promise<boolean> {
  const lock = `${file}.lock`
  if (!(await isDeleted(await readlink(file))) || !(await link(workspace, lock))) return false
  // Another process may have taken it over before this one had the lock.
  if (!(await isDeleted(await readlink(file)))) {
    await unlink(lock)
    return false
  }
  await rename(lock, file)
  return true
}

/** True if the workspace is gone, but not with its parent, as on a disk that is not mounted. */
async function isDeleted(workspace: string): Promise<boolean> {
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
