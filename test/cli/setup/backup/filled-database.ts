import { sql } from 'kysely'
import { type Connection, openDatabase } from '../../../../src/db/database.ts'
import type { Db, Schema } from '../../../../src/db/schema.ts'
import { recordedSession } from '../../gate/recorded-calls.ts'

const id = (kind: number, number: number) => `00000000-0000-7000-8000-0000000${kind}000${number}`

const verdict = {
  action: 'allow',
  patterns: [],
  alwaysPatterns: [],
  reasons: [],
  trace: [],
  risk: 'low',
}

const card = {
  approvalId: id(5, 1),
  number: 1,
  tool: 'bash',
  what: 'echo',
  reasons: [],
  alwaysPatterns: [],
  requestedBy: 'Ada',
  whoMayAnswer: 'Ada',
  expiresAt: '2030-01-01T00:00:00.000Z',
  status: { kind: 'waiting' },
}

/** Inserts three sessions: one with a pending approval, one with a running command, one in a model call; and pending messages. */
export async function fillDatabase(connection: Connection): Promise<void> {
  await using database = openDatabase<Schema>(connection, { applicationName: 'test' })
  const { db } = database
  await sql`insert into caller (id, name, role) values ('telegram:42', 'Ada', 'user')`.execute(db)
  await addSession(db, 1, 'acting', 'awaiting_approval')
  await addSession(db, 2, 'acting', 'running')
  await addSession(db, 3, 'thinking')
  await sql`
    insert into approval (id, call_id, turn_id, session_id, conversation_id, number, caller_id, tool,
      arguments_sha256, confined, risk, always_patterns, card, expires_at)
    values (${id(5, 1)}, ${id(4, 1)}, ${id(3, 1)}, ${id(2, 1)}, ${id(1, 1)}, 1, 'telegram:42', 'bash',
      '', true, 'low', '[]', ${JSON.stringify(card)}, now() + interval '1 day')`.execute(db)
  await sql`
    insert into outbox (conversation_id, body, state, external_message_id)
    values (${id(1, 1)}, '{"kind":"notice","text":"said"}', 'sent', '7'),
      (${id(1, 1)}, '{"kind":"notice","text":"on its way"}', 'pending', null),
      (${id(1, 1)}, '{"kind":"card"}', 'pending', null)`.execute(db)
  await sql`
    insert into approval_card (approval_id, outbox_id)
    select ${id(5, 1)}, id from outbox where body = '{"kind":"card"}'`.execute(db)
  await sql`
    insert into inbound_event (id, platform, external_id, conversation_id, caller_id, body)
    values (${id(6, 1)}, 'telegram', '9', ${id(1, 1)}, 'telegram:42', '{}')`.execute(db)
  const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  await sql`
    insert into attachment (id, conversation_id, name, content, sha256)
    values (${id(7, 1)}, ${id(1, 1)}, ${'ü "\\\n\u{1f300}'}, ${content}, '')`.execute(db)
  await recordedSession(db).call({ arguments: '{"command":"echo \\u0000 \\\\ ü"}' })
}

async function addSession(db: Db, number: number, turn: string, call?: string): Promise<void> {
  await sql`
    insert into conversation (id, platform, external_id)
    values (${id(1, number)}, 'telegram', ${`4${number}`})`.execute(db)
  await sql`
    insert into session (id, conversation_id, worker)
    values (${id(2, number)}, ${id(1, number)}, 'default')`.execute(db)
  await sql`
    insert into turn (id, session_id, caller_id, state)
    values (${id(3, number)}, ${id(2, number)}, 'telegram:42', ${turn})`.execute(db)
  if (call !== undefined) await addCall(db, number, 1, call)
}

/** Creates call `ordinal` of the session's turn in a given state. */
export async function addCall(
  db: Db,
  session: number,
  ordinal: number,
  state: string,
): Promise<void> {
  await sql`
    insert into tool_call (id, session_id, turn_id, number, step, ordinal, model_call_id, tool, arguments,
      arguments_sha256, mutating, state, verdict)
    values (${id(3 + ordinal, session)}, ${id(2, session)}, ${id(3, session)}, ${ordinal}, 1, ${ordinal}, 'x', 'bash', '{"command":"ls"}',
      '', true, ${state}, ${JSON.stringify(verdict)})`.execute(db)
}

/** Returns the state as counts of turns, calls, approvals and messages. */
export async function standing(db: Db) {
  const read = async (query: string) =>
    (await sql.raw<{ line: string }>(query).execute(db)).rows.map(({ line }) => line)
  return {
    turns: await read(`select right(id::text, 1) || ' ' || state as line from turn order by id`),
    calls: await read(
      `select right(id::text, 1) || ' ' || state || case when cancel_requested_at is null then '' else ' cancel' end
        as line from tool_call order by id`,
    ),
    approvals: await read('select state as line from approval'),
    outbox: await read(`select coalesce(body::json ->> 'text', 'card') || ': ' || state as line
      from outbox where id <= 3 order by id`),
    unhandled: await read('select id::text as line from inbound_event where handled_at is null'),
  }
}
