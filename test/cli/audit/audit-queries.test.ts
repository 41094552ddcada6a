import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { documentedQueries } from '../../../bench/support/documented-queries.ts'
import type { Db } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { recordedSession } from '../gate/recorded-calls.ts'

const documentedCall = '0190f3c2-0000-7000-8000-000000000000'

/** Inserts a conversation with everything that the documentation asks about. */
async function everything({ db, pool }: TestDatabase): Promise<void> {
  const session = recordedSession(db)
  const caller_id = 'telegram:42'
  const asked_at = new Date(Date.now() - 60_000).toISOString()
  const answered_at = new Date().toISOString()
  const approval_id = newId()
  await session.call({ caller_id, call_id: documentedCall })
  await session.call({
    caller_id,
    verdict: 'ask',
    decided_by: 'telegram:7',
    approval_id,
    ...{ asked_at, answered_at },
    arguments: '{"command":"curl https://api.example.com/"}',
    result: 'error',
    error_category: 'timeout',
  })
  const call_id = newId()
  const trace = [{ check: 'shell', action: 'deny', reason: 'it says so', rule: 'a rule' }] as const
  await session.row({ kind: 'decided', call_id, caller_id, verdict: 'deny', trace })
  await session.row({ kind: 'settled', call_id, caller_id, result: 'blocked' })
  const web = { call_id: newId(), caller_id, tool: 'fetch' }
  const url = 'https://site.example/'
  await session.row({ ...web, kind: 'decided', verdict: 'allow', arguments: `{"url":"${url}"}` })
  const hop = { ...web, kind: 'hop', method: 'GET', hosts: ['site.example'], bytes: 0 } as const
  await session.row({ ...hop, url, status: 302, address: '192.0.2.1' })
  await session.row({ ...hop, url: 'http://10.0.0.1/', blocked: 'only https URLs are fetched' })
  await session.row({
    ...web,
    kind: 'settled',
    result: 'blocked',
    error_category: 'policy_blocked',
  })
  await session.row({ kind: 'dropped_result', note: 'it was forged' })
  await session.row({ kind: 'command', note: '/clear' })
  await session.row({ kind: 'feedback', caller_id, note: 'good' })
  await insertSurroundings(db, session.id)
  for (const table of ['audit_checkpoint', 'audit_cut']) {
    const body = '{"heads":[],"before":"2020-01-01T00:00:00Z","rows":1}'
    const values = `(at, body, kid, signature) values (now(), '${body}', 'k', '')`
    await pool.query(`insert into ${table} ${values}`)
  }
  await pool.query(`
    insert into audit_log (chain, seq, previous_hash, hash, at, kind, call_id, verdict, body)
    values ('c', 1, '', '', now() - interval '2 hours', 'decided', gen_random_uuid(), 'allow', '{}')`)
}

async function insertSurroundings(db: Db, sessionId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    const conversation = newId()
    await sql`
      insert into conversation (id, platform, external_id)
      values (${conversation}, 'telegram', '42')`.execute(trx)
    await sql`
      insert into session (id, conversation_id, worker)
      values (${sessionId}, ${conversation}, 'default')`.execute(trx)
    await sql`
      insert into approval (id, call_id, turn_id, session_id, conversation_id, number, caller_id, tool,
        arguments_sha256, confined, risk, always_patterns, card, expires_at)
      values (${newId()}, ${newId()}, ${newId()}, ${sessionId}, ${conversation}, 1, 'telegram:42',
        'bash', '', true, 'high', '[]', '{}', now() + interval '1 day')`.execute(trx)
  })
}

test('AUD-03 every query in the docs runs and finds its example', async () => {
  await using database = await createTestDatabase()
  await everything(database)
  const queries = await documentedQueries()
  expect(queries.length).toBeGreaterThan(15)
  for (const { about, text } of queries) {
    const { rows } = await database.pool.query(text)
    expect(rows, about).not.toEqual([])
  }
})

test('AUD-03 views say of each call who decided, why, where it reached and how it ended', async () => {
  await using database = await createTestDatabase()
  const { pool } = database
  await everything(database)
  const one = async (text: string) => (await pool.query(text)).rows[0]
  expect(await one(`select * from audit_calls where call_id = '${documentedCall}'`)).toMatchObject({
    caller_id: 'telegram:42',
    arguments: '{"command":"ls"}',
    verdict: 'allow',
    result: 'success',
    exit_code: '0',
    duration_ms: 12,
    platform: 'telegram',
    conversation: '42',
    hosts: null,
  })
  expect(await one(`select * from audit_approvals where state = 'approved'`)).toMatchObject({
    decided_by: 'telegram:7',
    time_to_decision: expect.objectContaining({ minutes: 1 }),
  })
  expect(await one('select * from audit_waiting')).toMatchObject({ risk: 'high', tool: 'bash' })
  expect(await one('select * from audit_denials')).toMatchObject({
    denied_by: 'gate',
    said_by: 'shell',
    reason: 'it says so',
    rule: 'a rule',
  })
  expect(await one('select * from audit_egress')).toMatchObject({
    hosts: ['api.example.com'],
    decided_by: 'telegram:7',
    result: 'error',
  })
  expect(await one('select * from audit_by_caller')).toMatchObject({ calls: 4, blocked: 2 })
  expect(await one('select * from tool_health')).toMatchObject({
    tool: 'bash',
    calls: 3,
    failures: 1,
    failure_percent: '33.3',
    p50_ms: 12,
    usual_error: 'timeout',
  })
})

test('AUD-03 a call is one row of audit_calls: what was decided last, how it ended first, with its envelope', async () => {
  await using database = await createTestDatabase()
  const { db, pool } = database
  const session = recordedSession(db)
  const call_id = newId()
  await session.row({ kind: 'decided', call_id, verdict: 'ask', attempt: 1 })
  await session.row({ kind: 'decided', call_id, verdict: 'allow', attempt: 2 })
  await session.row({ kind: 'settled', call_id, result: 'interrupted' })
  await session.row({ kind: 'late_result', call_id, result: 'success' })
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx)
    await sql`
      insert into tool_call (id, session_id, turn_id, number, step, ordinal, model_call_id, tool, arguments,
        arguments_sha256, mutating, state, verdict, envelope)
      values (${call_id}, ${session.id}, ${newId()}, 1, 1, 1, '', 'bash', '{}', '', true, 'interrupted', '{}',
        '{"stdout":"a\\u0000b"}')`.execute(trx)
  })
  const { rows } = await pool.query('select * from audit_calls')
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ verdict: 'allow', attempt: '2', result: 'interrupted' })
  expect(rows[0].envelope).toEqual({ stdout: 'a\ufffdb' })
})

test('AUD-03 REL-02 no text of a row breaks a view: not NUL, not half a pair, not what is no JSON', async () => {
  await using database = await createTestDatabase()
  const { db, pool } = database
  await recordedSession(db).call({ arguments: 'a\0\ud800', decided_by: 'b\0' })
  const bodies = ['{"arguments":"\\u0000 \\ud83d","exit_code":"x","trace":7}', 'none', '[1]', '"a"']
  for (const body of [...bodies, '{"arguments":"\\\\u0000 kept"}']) {
    for (const kind of ['decided', 'settled']) {
      await pool.query(
        `insert into audit_log (chain, seq, previous_hash, hash, at, kind, call_id, verdict, approval_state, approval_id, hosts, body)
         values ($1, 1, '', '', now(), $2, $3, 'deny', 'denied', gen_random_uuid(), '{}', $4)`,
        [newId(), kind, newId(), body],
      )
    }
  }
  for (const view of ['audit_calls', 'audit_approvals', 'audit_denials', 'audit_questions']) {
    expect((await pool.query(`select * from ${view}`)).rows, view).not.toEqual([])
  }
  for (const view of ['audit_egress', 'tool_health', 'audit_by_caller', 'audit_approved'])
    await pool.query(`select * from ${view}`)
  const { rows } = await pool.query('select arguments from audit_denials order by arguments')
  expect(rows.map((row) => row.arguments)).toContain('\ufffd \ufffd')
  expect(rows.map((row) => row.arguments)).toContain('\\u0000 kept')
})

test('AUD-03 every column of the audit and its views is explained, in the database and in the docs', async () => {
  await using database = await createTestDatabase()
  const docs = await readFile(
    new URL('../../../docs/reference/audit-views.md', import.meta.url),
    'utf8',
  )
  const { rows } = await database.pool.query<{ of: string; name: string; about: string | null }>(`
    select relname as of, attname as name, col_description(attrelid, attnum) as about
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relname in ('audit_log', 'audit_cut', 'audit_calls', 'audit_approvals', 'audit_waiting',
      'audit_denials', 'audit_by_caller', 'audit_egress', 'tool_health', 'audit_questions',
      'audit_approved') and attnum > 0`)
  expect(rows.length).toBeGreaterThan(80)
  expect(rows.filter(({ about }) => about === null)).toEqual([])
  for (const { of, name } of rows.filter(({ of }) => !/^audit_(log|cut)$/.test(of))) {
    const section = docs.split(`## \`${of}\``)[1]?.split('\n##')[0] ?? ''
    expect(section, `${of}.${name}`).toContain(`\`${name}\``)
  }
})
