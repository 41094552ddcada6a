import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** A conversation whose box at `worker` is to be restarted. */
export interface BoxRestart {
  readonly conversationId: string
  readonly worker: string
  /** Who asked for it. */
  readonly callerId: string
}

/** Notes that a conversation's box is to be restarted; asked twice, it is done once. */
export async function requestBoxRestart(db: Db, restart: BoxRestart): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ restart_box_of: restart.worker, restart_box_by: restart.callerId })
    .where('id', '=', restart.conversationId)
    .execute()
}

/**
 * Takes what was asked for, at most 100 at once; it is asked for again when the transaction does not commit. Waits for
 * whoever takes the same: behind it, all of that has been sent.
 */
export async function takeBoxRestarts(db: Db): Promise<readonly BoxRestart[]> {
  const { rows } = await sql<BoxRestart>`
    with due as (
      select id, restart_box_of, restart_box_by from conversation
      where restart_box_of is not null
      limit 100
      for no key update
    )
    update conversation set restart_box_of = null, restart_box_by = null
    from due where conversation.id = due.id
    returning due.id as "conversationId", due.restart_box_of as "worker",
      coalesce(due.restart_box_by, '') as "callerId"`.execute(db)
  return rows
}
