import type { Config } from '../config/config.ts'
import { inTransaction } from '../db/database.ts'
import { deleteOldConversations, deleteOldOutputs } from '../db/people/retention.ts'
import type { Db } from '../db/schema.ts'
import type { Log } from '../util/log.ts'
import { removeWorkspaces } from './remove-workspaces.ts'

/** Deletes what `[retention]` no longer keeps, to be done daily. Workspaces on other machines are named in the log. */
export async function keepRetention(config: Config, db: Db, log: Log): Promise<void> {
  const { conversationsDays, outputsDays } = config.retention
  if (outputsDays > 0) await deleteOldOutputs(db, outputsDays)
  if (conversationsDays === 0) return
  const gone = await inTransaction(db, (trx) => deleteOldConversations(trx, conversationsDays))
  if (gone.length === 0) return
  const left = await removeWorkspaces(config, gone)
  if (left.length > 0) log.warn({ workspaces: left }, 'files of deleted conversations are left')
  log.info(
    { workspaces: gone },
    'old conversations were deleted; their workspaces elsewhere can go',
  )
}
