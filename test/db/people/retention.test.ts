import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { deleteOldConversations, deleteOldOutputs } from '../../../src/db/people/retention.ts'
import type { Db } from '../../../src/db/schema.ts'
import { bob, createBenchContext } from '../../support/bench-context.ts'
import { until } from '../../support/flow.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

async function age(db: Db, days: number): Promise<void> {
  const by = sql`make_interval(days => ${days})`
  await sql`update conversation set created_at = created_at - ${by}`.execute(db)
  await sql`update inbound_event set received_at = received_at - ${by}`.execute(db)
  await sql`update outbox set state = 'sent', created_at = created_at - ${by}`.execute(db)
  await sql`update turn set created_at = created_at - ${by}, ended_at = ended_at - ${by}`.execute(
    db,
  )
  await sql`update session set closed_at = closed_at - ${by}`.execute(db)
  await sql`update tool_call set settled_at = settled_at - ${by}`.execute(db)
}

async function count(db: Db, table: 'conversation' | 'session' | 'turn'): Promise<number> {
  return (await db.selectFrom(table).select('id').execute()).length
}

test('LOOP-01 a conversation that nobody used for as long goes as a whole, one with a live turn or a new message stays', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([say('Hello.'), call('bash', { command: 'wc a' })]),
  )
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await age(db, 40)
  expect(await deleteOldConversations(db, 60)).toEqual([])
  await bench.say('count', bob)
  await bench.step()
  await age(db, 40)
  expect(await deleteOldConversations(db, 30)).toEqual([])
  await bench.say('/stop', bob)
  await age(db, 40)
  expect(await deleteOldConversations(db, 30)).toHaveLength(1)
  expect([await count(db, 'session'), await count(db, 'turn')]).toEqual([0, 0])
})

test('LOOP-01 a transcript that /clear ended goes after as long, and what follows it stays', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('Hello.'), say('Again.')]))
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await bench.say('/clear')
  await age(db, 40)
  await bench.say('hi')
  await bench.step()
  expect(await deleteOldConversations(db, 30)).toEqual([])
  expect([await count(db, 'session'), await count(db, 'turn')]).toEqual([1, 1])
})

test('OUT-09 what calls gave goes after as long; that they were made, and how they ended, stays', async () => {
  const model = createScriptedModel([call('read', { path: 'a' }), say('done'), say('still here')])
  await using bench = await createBenchContext(model)
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.result(row, { kind: 'succeeded', output: 'what a says' })
  await bench.step()
  expect(await deleteOldOutputs(db, 30)).toBe(0)
  await age(db, 40)
  expect(await deleteOldOutputs(db, 30)).toBe(1)
  expect(await deleteOldOutputs(db, 30)).toBe(0)
  const [old] = await bench.calls()
  expect(old).toMatchObject({ state: 'succeeded', output: null })
  expect(JSON.stringify(old)).not.toContain('what a says')
  await bench.say('go on')
  await bench.step()
  const prompt = JSON.stringify(model.requests.at(-1)?.messages)
  expect(prompt).toContain('older than it is kept')
  expect(prompt).not.toContain('what a says')
})

test('LOOP-04 a message that arrives while its old conversation is being deleted is kept', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('Hello.')]))
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await age(db, 40)
  let received: Promise<unknown> | undefined
  const gone = await db.transaction().execute(async (trx) => {
    const found = await deleteOldConversations(trx, 30)
    received = bench.act({ kind: 'message', text: 'wait for me' })
    await until('it waits for the deletion', async () => {
      const { rows } = await sql`select from pg_locks where not granted`.execute(db)
      return rows.length > 0
    })
    return found
  })
  await received
  expect(gone).toHaveLength(1)
  const events = await db.selectFrom('inbound_event').select('body').execute()
  expect(JSON.stringify(events)).toContain('wait for me')
})
