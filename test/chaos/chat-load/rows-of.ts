import { sql } from 'kysely'
import type { CheckSignature } from '../../../src/core/audit/record.ts'
import { type AuditReport, verifyChains } from '../../../src/core/audit/verify-chains.ts'
import type { Db } from '../../../src/db/schema.ts'

/** What the database says of a load that is over. */
export interface Rows {
  /** What people said, in the order of the transcript, by conversation. */
  readonly said: ReadonlyMap<string, readonly string[]>
  /** Answers and notices, in the order of the outbox, by conversation. */
  readonly sent: ReadonlyMap<string, readonly string[]>
  /** Rows that are not settled, in words: there must be none. */
  readonly open: readonly string[]
  /** How often each turn was answered. */
  readonly answers: readonly number[]
  /** Calls, each with how it ended and its rows of the audit. */
  readonly calls: readonly { readonly state: string; readonly audited: string }[]
  readonly audit: AuditReport
}

export async function rowsOf(db: Db, check: CheckSignature): Promise<Rows> {
  return {
    said: await wordsOf(db),
    sent: await textsOf(db),
    open: await openOf(db),
    answers: await answersOf(db),
    calls: await callsOf(db),
    audit: await verifyChains(db, check),
  }
}

async function wordsOf(db: Db): Promise<Rows['said']> {
  const rows = await db
    .selectFrom('message')
    .innerJoin('session', 'session.id', 'message.session_id')
    .innerJoin('conversation', 'conversation.id', 'session.conversation_id')
    .select(['conversation.external_id as place', 'message.body as text'])
    .where('message.role', '=', 'user')
    .orderBy('message.position')
    .execute()
  return grouped(rows)
}

async function textsOf(db: Db): Promise<Rows['sent']> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('conversation', 'conversation.id', 'outbox.conversation_id')
    .select([
      'conversation.external_id as place',
      sql<string>`coalesce(outbox.body::json ->> 'markdown', outbox.body::json ->> 'text')`.as(
        'text',
      ),
    ])
    .where(sql`outbox.body::json ->> 'kind'`, 'in', ['answer', 'notice'])
    .orderBy('outbox.id')
    .execute()
  return grouped(rows)
}

async function openOf(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ what: string }>`
    select 'an event that is not handled: ' || external_id as what
      from inbound_event where handled_at is null
    union all select 'a message that is ' || state || ': ' || coalesce(failure, '')
      from outbox where state <> 'sent'
    union all select 'a turn that is ' || state from turn where state <> 'done'
    union all select 'a call without an end' from tool_call where settled_at is null
    union all select 'a message that no turn read' from message where position is null`.execute(db)
  return rows.map(({ what }) => what)
}

async function answersOf(db: Db): Promise<readonly number[]> {
  const { rows } = await sql<{ count: number }>`
    select count(outbox.id)::int as count from turn
    left join outbox on outbox.body::json ->> 'kind' = 'answer'
      and outbox.body::json ->> 'turnId' = turn.id::text
    group by turn.id`.execute(db)
  return rows.map(({ count }) => count)
}

async function callsOf(db: Db): Promise<Rows['calls']> {
  const { rows } = await sql<{ state: string; audited: string }>`
    select tool_call.state, coalesce(string_agg(audit_log.kind, ' ' order by audit_log.id), '') as audited
    from tool_call left join audit_log on audit_log.call_id = tool_call.id
      and audit_log.kind in ('decided', 'settled')
    group by tool_call.id`.execute(db)
  return rows
}

function grouped(
  rows: readonly { readonly place: string; readonly text: string }[],
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(rows, ({ place }) => place)
  return new Map([...groups].map(([place, of]) => [place, of.map(({ text }) => text)]))
}
