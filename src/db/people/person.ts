import { sql } from 'kysely'
import { liveTurnStates } from '../../domain/turn.ts'
import { literals } from '../literals.ts'
import type { Db } from '../schema.ts'

const page = 500

/** Amount of data stored about a person. */
export interface PersonCounts {
  /** Conversations without any other person, which are deleted completely. */
  readonly conversations: readonly string[]
  readonly turns: number
  readonly messages: number
  /** Turns that are in progress or wait for an answer. */
  readonly live: number
  /** Audit rows from before pseudonyms, which contain the account id. */
  readonly oldRows: number
}

/** Locks the sessions and conversations of a person until the transaction ends. */
export async function lockPerson(db: Db, callerId: string): Promise<void> {
  await sql`
    select from session where id in (select session_id from turn where caller_id = ${callerId})
      or conversation_id in (select conversation_id from inbound_event where caller_id = ${callerId})
    order by id for update`.execute(db)
  await sql`select from conversation where id = any(${conversationsOf(callerId)}) order by id for update`.execute(
    db,
  )
}

export async function countPerson(db: Db, callerId: string): Promise<PersonCounts> {
  const { rows } = await sql<PersonCounts>`
    select ${conversationsOf(callerId)} as conversations,
      (select count(*) from turn where caller_id = ${callerId}) as turns,
      (select count(*) from message where author = ${callerId}) as messages,
      (select count(*) from turn where caller_id = ${callerId}
        and state in (${sql.join(literals(liveTurnStates))})) as live,
      (select count(*) from audit_log where caller_id = ${callerId} or decided_by = ${callerId})
        as "oldRows"`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('an aggregate answers one row')
  return counts
}

/** SQL for the conversations in which this person is the only one. */
function conversationsOf(callerId: string) {
  return sql`array(
    with present (conversation_id, caller_id) as (
      select session.conversation_id, turn.caller_id from turn join session on session.id = turn.session_id
      union select session.conversation_id, message.author from message
        join session on session.id = message.session_id where message.role = 'user'
      union select conversation_id, caller_id from inbound_event
    )
    select conversation_id from present group by conversation_id
    having bool_and(caller_id = ${callerId})
  )`
}

/**
 * Deletes everything stored about a person except the audit: their own conversations, their messages and turns elsewhere,
 * roles, links, codes and tokens. Replaces their account id by `alias` in all other columns.
 */
export async function deletePerson(
  db: Db,
  callerId: string,
  conversations: readonly string[],
  alias: string,
): Promise<void> {
  const run = (statement: ReturnType<typeof sql>) => statement.execute(db)
  await run(sql`delete from conversation where id = any(${[...conversations]}::uuid[])`)
  await run(sql`
    delete from outbox where addressee = ${callerId} or id in (
      select card.outbox_id from approval_card card join approval on approval.id = card.approval_id
      where approval.caller_id = ${callerId})`)
  await run(sql`delete from upload where inbound_event_id in (
    select id from inbound_event where caller_id = ${callerId})`)
  await run(sql`delete from inbound_event where caller_id = ${callerId}`)
  // A summary of a shared conversation may contain their messages; it is made again from what remains (LOOP-12).
  await run(sql`delete from transcript_summary where session_id in (
    select session_id from message where author = ${callerId})`)
  await run(sql`delete from turn where caller_id = ${callerId}`)
  await run(sql`delete from message where author = ${callerId}`)
  await run(sql`update approval set reason = null where decided_by = ${callerId}`)
  await run(sql`delete from budget_note where scope = ${`caller:${callerId}`}`)
  await run(sql`delete from username_pin where caller_id = ${callerId}`)
  for (const table of ownTables) {
    await run(sql`delete from ${sql.table(table)} where caller_id = ${callerId}`)
  }
  await run(sql`delete from caller where id = ${callerId}`)
  await replaceAccountId(db, callerId, alias)
}

/** Tables whose rows belong to the account in `caller_id`. */
const ownTables = [
  'grant_rule',
  'rules_order',
  'reply_path',
  'pairing_try',
  'stranger',
  'approval_asked',
  'edit_window',
] as const

/** Replaces the account id in every text column that contains nothing else, in all present and future tables. */
async function replaceAccountId(db: Db, callerId: string, alias: string): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select c.table_name as table, c.column_name as column
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text'
      and c.table_name not like 'audit\\_%' order by 1, 2`.execute(db)
  for (const { table, column } of rows) {
    await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${alias}
      where ${sql.ref(column)} = ${callerId}`.execute(db)
  }
}

/** Row of a data export, with its kind. */
export interface ExportedRow {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

/** Reads everything stored about an account except the audit and the bytes of files, in pages. */
export async function* exportRows(db: Db, callerId: string): AsyncGenerator<ExportedRow> {
  for (const [kind, query] of Object.entries(queries(callerId))) {
    let after = ''
    for (;;) {
      const { rows } = await sql<{ key: string; row: Record<string, unknown> }>`
        select key, to_jsonb(found) - 'key' as row from (${query}) found
        where key > ${after} order by key limit ${page}`.execute(db)
      for (const { row } of rows) yield { kind, row }
      if (rows.length < page) break
      after = rows.at(-1)?.key ?? after
    }
  }
}

/** Returns queries with a unique, sortable `key`. */
function queries(callerId: string): Readonly<Record<string, ReturnType<typeof sql>>> {
  const own = sql`caller_id = ${callerId}`
  return {
    account: sql`select id as key, * from caller where id = ${callerId}`,
    link: sql`select caller_id as key, * from caller_link where ${own}`,
    username: sql`select platform || username as key, * from username_pin where ${own}`,
    received: sql`
      select id::text as key, platform, body, received_at from inbound_event where ${own}`,
    message: sql`
      select id::text as key, session_id, turn_id, body, created_at from message
      where author = ${callerId}`,
    answer: sql`
      select m.id::text as key, m.session_id, m.turn_id, m.body, m.created_at from message m
      join turn on turn.id = m.turn_id where turn.caller_id = ${callerId} and m.role = 'assistant'`,
    turn: sql`
      select id::text as key, session_id, kind, state, created_at, ended_at from turn where ${own}`,
    call: sql`
      select c.id::text as key, c.session_id, c.turn_id, c.tool, c.arguments, c.state, c.result,
        c.output, c.created_at, c.settled_at
      from tool_call c join turn on turn.id = c.turn_id where turn.caller_id = ${callerId}`,
    approval: sql`
      select id::text as key, turn_id, call_id, tool, state, decided_by, reason, created_at, decided_at
      from approval where ${own} or decided_by = ${callerId}`,
    grant: sql`
      select id::text as key, tool, pattern, life, created_at, expires_at, revoked_at
      from grant_rule where ${own}`,
    upload: sql`
      select u.id::text as key, u.name, u.media_type, u.state, u.created_at
      from upload u join inbound_event e on e.id = u.inbound_event_id
      where e.caller_id = ${callerId}`,
    usage: sql`
      select id::text as key, turn_id, model, input_tokens, output_tokens, cost_usd, created_at
      from usage where ${own}`,
  }
}
