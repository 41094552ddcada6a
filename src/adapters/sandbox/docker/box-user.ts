import type { BoxSpec } from '../../../ports/sandbox.ts'
import { type Owner, workspaceOwner } from '../spawn-box.ts'
import type { EngineFacts } from './engine-facts.ts'

/** User and group ids of a box. */
export interface BoxUser extends Owner {
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
  const owner = await workspaceOwner(spec, reachableRoot)
  return facts.isRootless ? toUser(owner, ['--userns=keep-id']) : toUser(owner)
}

function toUser({ uid, gid }: Owner, more: readonly string[] = []): BoxUser {
  return { uid, gid, arguments: [`--user=${uid}:${gid}`, ...more] }
}
