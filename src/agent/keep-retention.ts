import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { inTransaction } from '../db/database.ts'
import { deleteOldConversations, deleteOldOutputs } from '../db/people/retention.ts'
import type { Db } from '../db/schema.ts'
import { removeTree } from '../util/files.ts'
import type { Log } from '../util/log.ts'

/** Deletes data older than `[retention]` allows; run daily. Workspaces on other machines are named in the log. */
export async function deleteExpiredData(config: Config, db: Db, log: Log): Promise<void> {
  const { conversationsDays, outputsDays } = config.retention
  if (outputsDays > 0) await deleteOldOutputs(db, outputsDays)
  if (conversationsDays === 0) return
  const gone = await inTransaction(db, (trx) => deleteOldConversations(trx, conversationsDays))
  if (gone.length === 0) return
  const left = await removeWorkspaces(config, gone)
  if (left.length > 0)
    log.warn({ workspaces: left }, 'failed to remove files of deleted conversations')
  log.info(
    { workspaces: gone },
    'deleted old conversations; their workspaces on other machines can be removed',
  )
}

/**
 * Removes the workspaces of conversations on this machine, and their snapshots. A workspace named in the configuration is shared
 * and kept. Returns the conversations for which something could not be removed; never rejects.
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

/** One snapshot directory per view of the workspace, named `<conversation>-<hash>`. */
function isOf(snapshots: string, id: string): boolean {
  return snapshots.startsWith(`${id}-`)
}
