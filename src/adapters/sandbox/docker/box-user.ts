import { stat } from 'node:fs/promises'
import type { BoxSpec } from '../../../ports/sandbox.ts'
import { uidRange } from '../process/claim-uid.ts'
import { giveWorkspace } from '../process/own-workspace.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import type { EngineFacts } from './engine-facts.ts'

/** User and group ids of a box. */
export interface BoxUser {
  readonly uid: number
  readonly gid: number
  /** Arguments for the engine. */
  readonly arguments: readonly string[]
}

/** The workspace's owner, never root of the host. A workspace of root is given to a user of its own. */
export async function boxUser(
  spec: BoxSpec,
  facts: EngineFacts,
  reachableRoot: string,
): Promise<BoxUser> {
  // In a rootless engine root is the engine's user and has no rights of root.
  if (facts.isRootless && facts.kind === 'docker') return toUser({ uid: 0, gid: 0 })
  const owner = await ownerOf(spec, reachableRoot)
  return facts.isRootless ? toUser(owner, ['--userns=keep-id']) : toUser(owner)
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

async function ownerOf({ workspace, masked }: BoxSpec, reachableRoot: string): Promise<Owner> {
  const { uid, gid } = await stat(workspace)
  if (uid !== 0) return { uid, gid: gid === 0 ? uid : gid }
  // A user id assigned by the process driver.
  if (gid >= uidRange.first && gid < uidRange.first + uidRange.count) return { uid: gid, gid }
  if (process.getuid?.() !== 0)
    throw new SandboxUnavailable(`${workspace} is root's, whom no box runs as: give it to somebody`)
  const given = await giveWorkspace(workspace, masked, reachableRoot)
  return { uid: given, gid: given }
}

function toUser({ uid, gid }: Owner, more: readonly string[] = []): BoxUser {
  return { uid, gid, arguments: [`--user=${uid}:${gid}`, ...more] }
}
