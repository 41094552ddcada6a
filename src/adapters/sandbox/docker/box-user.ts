import { stat } from 'node:fs/promises'
import type { BoxSpec } from '../../../ports/sandbox.ts'
import { uidRange } from '../process/claim-uid.ts'
import { giveWorkspace } from '../process/own-workspace.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import type { EngineFacts } from './engine-facts.ts'

/** Who a box runs as, by numbers. */
export interface BoxUser {
  readonly uid: number
  readonly gid: number
  /** The engine's arguments. */
  readonly arguments: readonly string[]
}

/** The workspace's owner, never root of the host. Root's own workspaces are given to a user that is theirs alone. */
export async function boxUser(
  spec: BoxSpec,
  facts: EngineFacts,
  reachableRoot: string,
): Promise<BoxUser> {
  // Who is called root there is the user of the engine, and has no right of a root.
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
  // One that the process driver has lent.
  if (gid >= uidRange.first && gid < uidRange.first + uidRange.count) return { uid: gid, gid }
  if (process.getuid?.() !== 0)
    throw new SandboxUnavailable(`${workspace} is root's, whom no box runs as: give it to somebody`)
  const given = await giveWorkspace(workspace, masked, reachableRoot)
  return { uid: given, gid: given }
}

function toUser({ uid, gid }: Owner, more: readonly string[] = []): BoxUser {
  return { uid, gid, arguments: [`--user=${uid}:${gid}`, ...more] }
}
