import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { removeTree } from '../util/remove-tree.ts'

/**
 * Removes the workspaces that conversations had on this machine, and their snapshots. A workspace that the configuration names is
 * everybody's, and stays. Answers the conversations of which something could not be removed; never rejects.
 */
export async function removeWorkspaces(
  { worker, dataDir }: Config,
  conversations: readonly string[],
): Promise<readonly string[]> {
  const snapshots = join(dataDir, 'snapshots')
  const names = await readdir(snapshots).catch(() => [])
  const left: string[] = []
  for (const id of conversations) {
    const places = names.filter((name) => isOf(name, id)).map((name) => join(snapshots, name))
    if (worker.workspace === undefined) places.push(join(dataDir, 'workspaces', id))
    const removed = await Promise.allSettled(places.map(removeTree))
    if (removed.some(({ status }) => status === 'rejected')) left.push(id)
  }
  return left
}

/** A conversation has one for each place that it worked in. */
function isOf(snapshots: string, id: string): boolean {
  return snapshots.startsWith(`${id}-`)
}
