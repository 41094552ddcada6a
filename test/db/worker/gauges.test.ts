import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPrometheus } from '../../../src/adapters/telemetry/create-prometheus.ts'
import { watchDatabaseState } from '../../../src/app/processes/watch-database-state.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import { ensureSession } from '../../../src/db/turn/sessions.ts'
import { readQueueStats } from '../../../src/db/worker/gauges.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase
let sessionId: string
let conversationId: string

beforeAll(async () => {
  database = await createTestDatabase()
  const conversation = await ensureConversation(database.db, 'test', 'room')
  conversationId = conversation.id
  sessionId = (await ensureSession(database.db, conversationId, 'default')).id
})
afterAll(() => database[Symbol.asyncDispose]())

describe('queue statistics', () => {
  test('PROC-05 nothing waits in a fresh database', async () => {
    expect(await readQueueStats(database.db)).toEqual({
      approvalsPending: 0,
      auditBroken: null,
      auditVerifiedSeconds: null,
      approvalSeconds: null,
      outboxWaiting: 0,
      outboxSeconds: null,
      inboxWaiting: 0,
      inboxSeconds: null,
      turnsStepping: 0,
      turnsActing: 0,
      callsAtWorkers: {},
      workersLive: {},
    })
  })

  test('PROC-05 PERF-05 what waits is counted, by reading the rows that wait and no others', async () => {
    await fill({ waiting: 300, over: 8_000 })
    const standing = await readQueueStats(database.db)
    expect(standing).toMatchObject({
      approvalsPending: 300,
      outboxWaiting: 300,
      inboxWaiting: 300,
      turnsStepping: 0,
      turnsActing: 300,
      callsAtWorkers: { default: 300 },
      workersLive: { default: 1, gone: 0 },
    })
    expect(standing.approvalSeconds).toBeGreaterThan(299)
    expect(standing.outboxSeconds).toBeGreaterThan(299)
    const plan = await explain()
    expect(plan).not.toMatch(/Seq Scan on (approval|outbox|inbound_event|turn|tool_call)/)
    // Rows that have ended must not be scanned one by one.
    expect(plan).not.toMatch(/Rows Removed by Filter: [1-9]\d{2,}/)
  })

  test('PROC-05 the metrics tell it, by one statement for all of them', async () => {
    const metrics = createPrometheus({ tools: [] })
    let statements = 0
    const counted = database.db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    watchDatabaseState(metrics, counted)
    const text = await metrics.text()
    expect(statements).toBe(1)
    expect(text).toMatch(/^countersign_approvals_pending 300$/m)
    expect(text).toMatch(/^countersign_approval_oldest_seconds \d/m)
    expect(text).toMatch(/^countersign_turns_live\{state="acting"\} 300$/m)
    expect(text).toMatch(/^countersign_workers_live\{worker="gone"\} 0$/m)
  })
})

/** So many of everything that wait, the n-th for n seconds, and so many that are over. */
async function fill({ waiting, over }: { waiting: number; over: number }): Promise<void> {
  const { db } = database
  await sql`
    insert into session (id, conversation_id, worker, state)
    select gen_random_uuid(), ${conversationId}, 'w' || n, 'closed'
    from generate_series(1, ${waiting + over}::int) n`.execute(db)
  const total = sql`(select row_number() over () as n, id as session_id from session
    where id <> ${sessionId}) as each`
  const isWaiting = sql`n <= ${waiting}`
  await sql`
    insert into turn (id, session_id, caller_id, state)
    select gen_random_uuid(), session_id, 'test:ada', case when ${isWaiting} then 'acting' else 'done' end
    from ${total}`.execute(db)
  await sql`
    insert into tool_call (id, session_id, turn_id, number, step, ordinal, model_call_id, tool, arguments,
      arguments_sha256, mutating, state, verdict, worker)
    select gen_random_uuid(), session_id, id, 1, 1, 0, 'm', 'bash', '{}', '', true,
      case when state = 'acting' then 'queued' else 'succeeded' end, '{}', 'default' from turn`.execute(
    db,
  )
  await sql`
    insert into approval (id, call_id, turn_id, session_id, conversation_id, number, caller_id, tool,
      arguments_sha256, confined, risk, always_patterns, card, state, expires_at, created_at)
    select gen_random_uuid(), tool_call.id, turn_id, tool_call.session_id, ${conversationId}, 1, 'test:ada',
      'bash', '', true, 'low', '[]', '{}', case when ${isWaiting} then 'pending' else 'approved' end,
      now() + interval '1 day' - make_interval(secs => n), now() - make_interval(secs => n)
    from (select *, row_number() over (order by state <> 'queued') as n from tool_call) as tool_call`.execute(
    db,
  )
  await sql`
    insert into outbox (conversation_id, body, state, created_at)
    select ${conversationId}, '{}', case when n > ${over} then 'pending' else 'sent' end,
      now() - make_interval(secs => n) from generate_series(1, ${waiting + over}::int) n`.execute(
    db,
  )
  await sql`
    insert into inbound_event (id, platform, external_id, conversation_id, caller_id, body, handled_at)
    select gen_random_uuid(), 'test', n, ${conversationId}, 'test:ada', '{}',
      case when n > ${over} then null else now() end
    from generate_series(1, ${waiting + over}::int) n`.execute(db)
  await sql`
    insert into worker (name, replica, driver, confined, warnings, box_workspace, tools, public_key, seen_at)
    values ('default', 'r1', 'process', false, '[]', '/', '[]', '', now()),
      ('gone', 'r2', 'process', false, '[]', '/', '[]', '', now() - interval '1 hour')`.execute(db)
  await sql`vacuum analyze`.execute(db)
}

/** Returns the plan of the statement that is run. */
async function explain(): Promise<string> {
  const plan: unknown[] = []
  const explaining: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind !== 'RawNode') throw new Error('it is no raw statement any more')
      const [first = '', ...rest] = node.sqlFragments
      return { ...node, sqlFragments: [`explain analyze ${first}`, ...rest] }
    },
    transformResult: async ({ result }) => {
      plan.push(...result.rows.map((row) => row['QUERY PLAN']))
      return result
    },
  }
  await readQueueStats(database.db.withPlugin(explaining))
  return plan.join('\n')
}
