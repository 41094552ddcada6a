import { describe, expect, test } from 'vitest'
import { handleInbox } from '../../../src/core/inbox/handle.ts'
import { receive } from '../../../src/core/inbox/store-event.ts'
import { addCardCopy } from '../../../src/db/approval/card-copies.ts'
import { insertSent } from '../../../src/db/outbox/outbox.ts'
import { endPairing, savePairedRole } from '../../../src/db/people/callers.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import { newId } from '../../../src/util/ids.ts'
import { ada, type BenchContext, createBenchContext, eve } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const approvals = (bench: BenchContext) =>
  bench.database.db.selectFrom('approval').selectAll().orderBy('created_at').execute()

describe('which question an answer means', () => {
  test('APPR-04 APPR-16 a number means one question for good, also after /clear', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([
        call('bash', { command: 'touch harmless' }),
        call('bash', { command: 'rm -rf all' }),
        say('done'),
      ]),
    )
    await bench.say('go')
    await bench.step()
    await bench.say('/clear')
    await bench.say('again')
    await bench.step()
    await bench.act({ kind: 'message', text: '/approve 1' }, eve)
    const [first, second] = await approvals(bench)
    expect(first).toMatchObject({ number: 1, state: 'cancelled' })
    expect(second).toMatchObject({ number: 2, state: 'pending' })
  })

  test('APPR-16 /approve without a number never means a card that came after it was written', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'rm -rf all' }), say('done')]),
    )
    const id = await bench.say('go')
    await bench.step()
    const { db } = bench.database
    await receive(bench.ctx, {
      platform: 'test',
      externalId: newId(),
      conversation: 'room',
      callerId: ada.id,
      body: { kind: 'message', text: '/approve' },
    })
    await db
      .updateTable('outbox')
      .set({ state: 'sent', external_message_id: '9', sent_at: new Date(Date.now() + 1_000) })
      .execute()
    await handleInbox({ ...bench.ctx, people: {} }, id)
    expect((await approvals(bench))[0]?.state).toBe('pending')
    expect((await bench.notices()).at(-1)).toContain('send /approve 1')
  })
})

test('APPR-16 APPR-18 /approve means no card that came here after it was written, though others were shown it before', async () => {
  await using bench = await createBenchContext(
    createScriptedModel([call('bash', { command: 'rm -rf all' }), say('done')]),
  )
  const id = await bench.say('go')
  await bench.step()
  const { db } = bench.database
  const [question] = await approvals(bench)
  const other = await ensureConversation(db, 'test', 'the approvers')
  const elsewhere = await insertSent(db, other.id, '{}', '8')
  await addCardCopy(db, question?.id ?? '', elsewhere)
  await receive(bench.ctx, {
    platform: 'test',
    externalId: newId(),
    conversation: 'room',
    callerId: ada.id,
    body: { kind: 'message', text: '/approve' },
  })
  await db
    .updateTable('outbox')
    .set({ state: 'sent', external_message_id: '9', sent_at: new Date(Date.now() + 1_000) })
    .where('conversation_id', '=', id)
    .execute()
  await handleInbox({ ...bench.ctx, people: {} }, id)
  expect((await approvals(bench))[0]?.state).toBe('pending')
})

describe('who somebody is when their words are handled', () => {
  const people = { test: { users: [], approvers: [], operators: [] } }

  test('CHAT-01 THREAT-8 whoever was shut out meanwhile is not obeyed for what waits', async () => {
    await using bench = await createBenchContext(createScriptedModel([say('never')]))
    const { db } = bench.database
    await savePairedRole(db, { id: 'test:pat', name: 'Pat' }, 'user')
    const { conversationId } = await receive(bench.ctx, {
      platform: 'test',
      externalId: newId(),
      conversation: 'pats',
      callerId: 'test:pat',
      body: { kind: 'message', text: 'go' },
    })
    await endPairing(db, 'test:pat', 'user')
    await handleInbox({ ...bench.ctx, people }, conversationId)
    expect(await db.selectFrom('turn').selectAll().execute()).toEqual([])
    const events = await db.selectFrom('inbound_event').select('handled_at').execute()
    expect(events.every((event) => event.handled_at !== null)).toBe(true)
  })
})

describe('what a model says beside a call', () => {
  const speaking = () =>
    createScriptedModel([
      calls([toRequest('bash', { command: 'rm -rf build' })], 'I clear the **old** build first.'),
      say('done'),
    ])

  test('APPR-02 CHAT-04 stands before the card that asks', async () => {
    await using bench = await createBenchContext(speaking())
    await bench.say('go')
    await bench.step()
    const rows = await bench.database.db.selectFrom('outbox').select('body').orderBy('id').execute()
    expect(rows.map(({ body }) => JSON.parse(body))).toMatchObject([
      { kind: 'remark', markdown: 'I clear the **old** build first.' },
      { kind: 'card' },
    ])
  })

  test('LOOP-04 is no answer, and is not said where nothing asks', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([
        calls([toRequest('list_directory', { path: '.' })], 'Looking around.'),
        say('done'),
      ]),
    )
    await bench.say('go')
    await bench.step()
    expect(await bench.database.db.selectFrom('outbox').selectAll().execute()).toEqual([])
  })
})
