import { readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../../util/digest.ts'
import { makeReachable } from '../reachable.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'

/**
 * User ids without accounts: above those of people, below those that systemd assigns (61184), and within the 65,536 of a
 * container. `nobody` is not suitable, as other services use it.
 */
export const uidRange = { first: 52_000, count: 8_000 } as const

/**
 * Returns the user id of a workspace, which never changes and is not shared. The claim is a link `<root>/uids/<uid>` to the
 * workspace, created atomically.
 */
export async function claimUid(workspace: string, root: string): Promise<number> {
  const dir = join(root, 'uids')
  await makeReachable(dir)
  const start = Number.parseInt(sha256(workspace).slice(0, 8), 16)
  for (let step = 0; step < uidRange.count; step += 1) {
    const uid = uidRange.first + ((start + step) % uidRange.count)
    if (await claim(join(dir, String(uid)), workspace)) return uid
  }
  throw new SandboxUnavailable(`no user id is left for a workspace: ${dir} holds ${uidRange.count}`)
}

async function claim(file: string, workspace: string): Promise<boolean> {
  try {
    await symlink(workspace, file)
    return true
  } catch {
    return (await readlink(file)) === workspace
  }
}
