import { sql } from 'kysely'
import type { Db, TurnRow } from '../schema.ts'

/** Returns live turns that were not only waiting for people. An allowed call may have run since, even next to one that waits. */
export async function findTurnsInProgress(db: Db): Promise<readonly TurnRow[]> {
  const { rows } = await sql<TurnRow>`
    select * from turn where state in ('queued', 'thinking', 'acting') and (
      state <> 'acting'
      or exists (select from tool_call c where c.turn_id = turn.id and c.state in ('allowed', 'queued', 'running'))
      or not exists (
        select from tool_call c where c.turn_id = turn.id and c.state = 'awaiting_approval'
      )
    ) order by created_at`.execute(db)
  return rows
}

/** Raises the epochs of live turns and clears their leases, so that jobs left in a queue from after the backup do not match. */
export async function raiseEpochs(db: Db): Promise<void> {
  await sql`
    update turn set epoch = epoch + 1000, lease_owner = null, lease_until = null
    where state in ('queued', 'thinking', 'acting')`.execute(db)
}

/** Author of a message that was received but may not have been handled. */
export interface UnreadAuthor {
  readonly conversation_id: string
  readonly caller_id: string
}

/**
 * Gives up messages in transit at the time of the backup: outgoing ones except cards of pending approvals, and unhandled
 * incoming ones, whose authors are returned.
 */
export async function closeRestoredMessages(db: Db): Promise<readonly UnreadAuthor[]> {
  await sql`
    update outbox set state = 'dead', failure = 'restored from a backup: it may have been sent already'
    where state = 'pending' and not exists (
      select from approval_card join approval on approval.id = approval_card.approval_id
      where approval_card.outbox_id = outbox.id and approval.state = 'pending'
    )`.execute(db)
  await sql`update outbox set claimed_until = null where state = 'pending'`.execute(db)
  const { rows } = await sql<UnreadAuthor>`
    with closed as (
      update inbound_event set handled_at = now(), failure = 'restored from a backup'
      where handled_at is null returning conversation_id, caller_id
    )
    select distinct conversation_id, caller_id from closed`.execute(db)
  return rows
}
