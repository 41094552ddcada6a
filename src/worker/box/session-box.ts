import type { BoxSpec } from '../../ports/sandbox.ts'
import type { WorkerOptions } from '../worker-options.ts'
import type { BoxUse } from './box-pool.ts'
import { prepareBox } from './prepare-box.ts'

/** A box of a session, by what it is for; the host's side of it is made. */
export function sessionBox(
  { workspaceFor, mounts, commandMounts }: WorkerOptions,
  replica: string,
  workspaceId: string,
  use: BoxUse,
): BoxSpec {
  const workspace = workspaceFor(workspaceId)
  const key = `${replica}/${workspaceId}`
  const isApart = use === 'commands' && commandMounts !== undefined
  if (isApart) return prepareBox({ key: `${key}/commands`, workspace, ...commandMounts })
  return prepareBox({ key, workspace, ...mounts })
}
