import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Row of a data export, with its kind. */
export interface ExportedRow {
  readonly kind: string
  readonly row: Readonly<Record<string, unknown>>
}

const page = 500

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
