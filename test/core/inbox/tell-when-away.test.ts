import { expect, test } from 'vitest'
import { notifyWhenQueueAway } from '../../../src/core/inbox/tell-when-away.ts'
import { bob, createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

test('STORE-04 INT-33 who writes while the queue is away is told once, and the turn stays due', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  const away = () => Promise.reject(new Error('Redis is away'))
  const signals = { ...bench.ctx.signals, turnDue: away, outboxDue: away }
  const told = notifyWhenQueueAway({ ...bench.ctx, signals })
  await bench.say('hi')
  const turn = await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
  await expect(told.turnDue(turn.id, turn.epoch)).rejects.toThrow('Redis is away')
  await expect(told.turnDue(turn.id, turn.epoch)).rejects.toThrow('Redis is away')
  const sent = await db.selectFrom('outbox').select('body').execute()
  expect(sent.map(({ body }) => JSON.parse(body))).toEqual([
    { kind: 'notice', text: expect.stringMatching(/^The job queue is unavailable\. /) },
  ])
  expect(await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()).toEqual(turn)
})

test('STORE-04 nobody is told anything while the queue is there', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  await bench.say('hi', bob)
  const turn = await db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
  await notifyWhenQueueAway(bench.ctx).turnDue(turn.id, turn.epoch)
  expect(await db.selectFrom('outbox').select('body').execute()).toEqual([])
})
