import { type Kysely, sql } from 'kysely'

/**
 * Events that cannot be handled are given up, messages are claimed while they are sent; what the sweeper and every settled
 * call look for is found by index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table inbound_event add column attempts integer not null default 0`.execute(db)
  await sql`alter table outbox add column claimed_until timestamptz`.execute(db)
  await sql`alter table tool_call drop column decided_audit`.execute(db)
  await sweeper(db)
  await references(db)
}

/** A second's look must not read through every approval and turn that waits (PERF-05). */
async function sweeper(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index turn_leased on turn (lease_until)
    where state in ('queued', 'thinking', 'acting') and lease_until is not null`.execute(db)
  await sql`
    create index turn_stepping on turn (id)
    where state in ('queued', 'thinking')`.execute(db)
  await sql`
    create index tool_call_previewing on tool_call (id)
    where state = 'awaiting_approval' and preview = 'wanted'`.execute(db)
  await sql`
    create index approval_to_remind on approval (remind_at)
    where state = 'pending' and remind_at is not null`.execute(db)
}

async function references(db: Kysely<unknown>): Promise<void> {
  await sql`create index approval_by_call on approval (call_id, number)`.execute(db)
  await sql`create index approval_pending_by_turn on approval (turn_id) where state = 'pending'`.execute(
    db,
  )
  await sql`create index approval_by_card on approval (card_outbox_id)`.execute(db)
  await sql`create index approval_card_by_outbox on approval_card (outbox_id)`.execute(db)
  await sql`create index outbox_edits on outbox (edit_of) where edit_of is not null`.execute(db)
}
