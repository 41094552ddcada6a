import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'

/** Removes the workspaces that conversations had on this machine. One that the configuration names is everybody's, and stays. */
export async function removeWorkspaces(
  { worker, dataDir }: Config,
  conversations: readonly string[],
): Promise<void> {
  if (worker.workspace !== undefined) return
  for (const id of conversations) {
    await rm(join(dataDir, 'workspaces', id), { recursive: true, force: true })
  }
}
