import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  findApprovalOfCall,
  findPendingOfTurn,
  findUnappliedAlways,
} from '../../../src/db/approval/approvals.ts'
import {
  findExpired,
  findExplaining,
  findExplainingOfTurn,
  findUnexplained,
  takeReminders,
} from '../../../src/db/approval/due-approvals.ts'
import {
  findAbandoned,
  findCancelling,
  findLatePreviews,
  takeSilentCalls,
} from '../../../src/db/call/silent-calls.ts'
import type { Db } from '../../../src/db/schema.ts'
import { takeLostTurns } from '../../../src/db/turn/lost-turns.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel } from '../../support/scripted-model.ts'

const waiting = 10_000

/** So many other conversations, each with a question that waits. */
async function fill(db: Db): Promise<void> {
  await sql`
    insert into conversation (id, platform, external_id)
    select gen_random_uuid(), 'test', 'waiting ' || n from generate_series(1, ${waiting}) n`.execute(
    db,
  )
  await sql`
    insert into session (id, conversation_id, worker)
    select gen_random_uuid(), id, 'default' from conversation
    where external_id like 'waiting %'`.execute(db)
  await sql`
    insert into turn (id, session_id, caller_id, state)
    select gen_random_uuid(), id, 'test:ada', 'acting' from session
    where id not in (select session_id from turn)`.execute(db)
  await sql`
    insert into tool_call (id, session_id, turn_id, number, step, ordinal, model_call_id, tool,
      arguments, arguments_sha256, mutating, state, verdict, worker)
    select gen_random_uuid(), session_id, id, 1, 1, 0, 'x', 'bash', '{}', 'x', true,
      'awaiting_approval', '{}', 'default'
    from turn where id not in (select turn_id from tool_call)`.execute(db)
  await sql`
    insert into approval (id, call_id, turn_id, session_id, conversation_id, number, caller_id, tool,
      arguments_sha256, confined, risk, always_patterns, card, expires_at)
    select gen_random_uuid(), tool_call.id, turn_id, session_id, conversation_id, 1, 'test:ada',
      'bash', 'x', true, 'low', '[]', '{}', now() + interval '1 day'
    from tool_call join session on session.id = session_id
    where tool_call.id not in (select call_id from approval)`.execute(db)
  await sql`analyze`.execute(db)
}

test('PERF-05 what the sweeper and each result look for is found without reading through all that waits', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'true' })]),
  )
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await fill(db)
  const [own] = await bench.calls()
  if (own === undefined) throw new Error('no call')
  const conversation = await db.selectFrom('conversation').select('id').executeTakeFirstOrThrow()
  const read = await db.transaction().execute(async (trx) => {
    const before = await rowsRead(trx)
    await takeLostTurns(trx, 2_000)
    await findExpired(trx)
    await takeReminders(trx)
    await findUnappliedAlways(trx)
    await findLatePreviews(trx, 5_000)
    await findCancelling(trx)
    await takeSilentCalls(trx, 5_000)
    await findAbandoned(trx, 600_000, 960_000)
    await findApprovalOfCall(trx, own.id)
    await findPendingOfTurn(trx, own.turn_id)
    await findUnexplained(trx)
    await findExplainingOfTurn(trx, own.turn_id)
    await findExplaining(trx, conversation.id, 'test:ada', '7')
    return (await rowsRead(trx)) - before
  })
  expect(read).toBeLessThan(100)
}, 60_000)

/** Rows of the big tables that this connection has read so far, however it found them. */
async function rowsRead(db: Db): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where relname in ('turn', 'tool_call', 'approval')`.execute(db)
  return rows[0]?.read ?? Number.NaN
}
