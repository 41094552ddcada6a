import { stat } from 'node:fs/promises'
import type { BoxSpec } from '../../ports/sandbox.ts'
import { uidRange } from './process/claim-uid.ts'
import { giveWorkspace } from './process/own-workspace.ts'
import { SandboxUnavailable } from './sandbox-options.ts'

/** User and group ids on the host. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** The workspace's owner, never root. A workspace of root is given to a user of its own (THREAT-31). */
export async function workspaceOwner(
  { workspace, masked }: Pick<BoxSpec, 'workspace' | 'masked'>,
  reachableRoot: string,
): Promise<Owner> {
  const { uid, gid } = await stat(workspace)
  if (uid !== 0) return { uid, gid: gid === 0 ? uid : gid }
  // A user id assigned by the process driver.
  if (gid >= uidRange.first && gid < uidRange.first + uidRange.count) return { uid: gid, gid }
  if (process.getuid?.() !== 0)
    throw new SandboxUnavailable(`${workspace} is root's, whom no box runs as: give it to somebody`)
  const given = await giveWorkspace(workspace, masked, reachableRoot)
  return { uid: given, gid: given }
}
