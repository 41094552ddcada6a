import { sql } from 'kysely'
import type { Db, TurnRow } from '../schema.ts'

/** Live turns of which more was left to do than to wait for people. A call that is allowed may have run since, even beside one that waits. */
export async function findUnderWay(db: Db): Promise<readonly TurnRow[]> {
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

/** No job that a queue may still hold from later days is taken for one of these turns; nobody holds any of them. */
export async function raiseEpochs(db: Db): Promise<void> {
  await sql`
    update turn set epoch = epoch + 1000, lease_owner = null, lease_until = null
    where state in ('queued', 'thinking', 'acting')`.execute(db)
}

/** Whose message was received and may not have been read. */
export interface UnreadWords {
  readonly conversation_id: string
  readonly caller_id: string
}

/**
 * Gives up what was on its way when the backup was made: messages to people, but for cards of questions that still wait; and
 * messages of people that were not handled, whose authors it answers.
 */
export async function closeRestoredMessages(db: Db): Promise<readonly UnreadWords[]> {
  await sql`
    update outbox set state = 'dead', failure = 'restored from a backup: it may have been sent already'
    where state = 'pending' and not exists (
      select from approval_card join approval on approval.id = approval_card.approval_id
      where approval_card.outbox_id = outbox.id and approval.state = 'pending'
    )`.execute(db)
  await sql`update outbox set claimed_until = null where state = 'pending'`.execute(db)
  const { rows } = await sql<UnreadWords>`
    with closed as (
      update inbound_event set handled_at = now(), failure = 'restored from a backup'
      where handled_at is null returning conversation_id, caller_id
    )
    select distinct conversation_id, caller_id from closed`.execute(db)
  return rows
}
