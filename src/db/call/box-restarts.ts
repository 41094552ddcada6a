import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Request to restart a conversation's box at `worker`. */
export interface BoxRestart {
  readonly conversationId: string
  readonly worker: string
  /** Caller who requested it. */
  readonly callerId: string
}

/** Requests a restart of a conversation's box. Repeated requests are merged. */
export async function requestBoxRestart(db: Db, restart: BoxRestart): Promise<void> {
  await db
    .updateTable('conversation')
    .set({ restart_box_of: restart.worker, restart_box_by: restart.callerId })
    .where('id', '=', restart.conversationId)
    .execute()
}

/**
 * Takes up to 100 requested restarts; they stay requested if the transaction rolls back. Waits for concurrent takers,
 * after which their restarts have been sent.
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
