import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { handleAllInboxes, handleInbox } from '../../../src/core/inbox/handle.ts'
import { receive } from '../../../src/core/inbox/store-event.ts'
import { lockSession } from '../../../src/db/turn/sessions.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada, type BenchContext, bob, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

async function store(bench: BenchContext, text: string, conversation = 'room'): Promise<string> {
  const { conversationId } = await receive(bench.ctx, {
    platform: 'test',
    externalId: newId(),
    conversation,
    callerId: ada.id,
    body: { kind: 'message', text },
  })
  return conversationId
}

const inboxOf = (bench: BenchContext) => ({ ...bench.ctx, modelName: 'scripted', people: {} })

describe('an event that cannot be handled', () => {
  test('LOOP-04 REL-01 it is tried some times, then given up with words to the person; what came after it is handled', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    const { db } = bench.database
    const id = await store(bench, 'poison')
    await db.updateTable('inbound_event').set({ body: '{"kind":"nonsense"}' }).execute()
    await store(bench, 'hello')
    for (let round = 0; round < 20; round += 1) await handleInbox(inboxOf(bench), id)
    const events = await db.selectFrom('inbound_event').selectAll().orderBy('arrival').execute()
    expect(events.every((event) => event.handled_at !== null)).toBe(true)
    expect(events[0]?.failure).not.toBeNull()
    expect(events[1]?.failure).toBeNull()
    expect((await bench.notices())[0]).toContain('could not be processed')
    const messages = await db.selectFrom('message').select('body').execute()
    expect(messages).toEqual([{ body: 'hello' }])
  })

  test('LOOP-04 what fails for a moment is not given up', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    const id = await store(bench, '/status')
    const { redact, ...others } = inboxOf(bench)
    const settings = { ...others.settings }
    Object.defineProperty(settings, 'maxToolCallsPerSession', {
      get: () => {
        throw new Error('no such disk')
      },
    })
    await handleInbox({ ...others, redact, settings }, id)
    await handleInbox(inboxOf(bench), id)
    expect((await bench.notices()).join('\n')).toContain('Tool calls: 0 of')
  })

  test('REL-03 LOOP-03 one conversation’s poison does not hold up the others', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    const { db } = bench.database
    for (const name of ['a', 'b', 'c']) await store(bench, `in ${name}`, name)
    await sql`update inbound_event set body = 'no JSON' where body like '%in b%'`.execute(db)
    await handleAllInboxes(inboxOf(bench))
    const messages = await db.selectFrom('message').select('body').execute()
    expect(messages.map((message) => message.body).sort()).toEqual(['in a', 'in c'])
  })
})

describe('locks', () => {
  test('LOOP-03 INT-4 handling a message cannot deadlock with a step that posts to the same conversation', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('ok')]))
    const { db } = bench.database
    const id = await bench.say('first')
    const { id: sessionId } = await db.selectFrom('session').select('id').executeTakeFirstOrThrow()
    let handling: Promise<void> | undefined
    await db.transaction().execute(async (trx) => {
      await lockSession(trx, sessionId)
      handling = store(bench, 'second').then(() => handleInbox(inboxOf(bench), id))
      await expect
        .poll(async () => {
          const { rows } = await sql`
            select 1 from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
          return rows.length
        })
        .toBe(1)
      await sql`set local lock_timeout = '300ms'`.execute(trx)
      await trx
        .insertInto('outbox')
        .values({ conversation_id: id, body: '{"kind":"notice","text":"posted"}' })
        .execute()
    })
    await handling
    expect(await bench.notices()).toContain('posted')
  })
})

describe('/clear', () => {
  test('LOOP-03 REL-01 it drops no message of somebody else that was promised a turn of its own', async () => {
    const model = createScriptedModel([call('bash', { command: 'true' }), say('to Bob')])
    await using bench = await createBenchContext(model)
    await bench.say('from Ada')
    await bench.step()
    await bench.say('from Bob', bob)
    expect((await bench.notices()).at(-1)).toContain('its own turn')
    await bench.say('/clear')
    await bench.step()
    expect((await bench.notices()).at(-1)).toBe('to Bob')
    expect(model.requests[1]?.messages).toEqual([{ role: 'user', author: 'Bob', text: 'from Bob' }])
  })
})
