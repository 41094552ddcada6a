import { expect, test } from 'vitest'
import { createActivityReader } from '../../../src/core/delivery/take-over.ts'
import { type BenchContext, createBenchContext, ok } from '../../support/bench-context.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

test('SLACK-05 what is under way, and what ended lately, is by the rows of turns', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('done')]))
  const conversation = await bench.say('go')
  const { db } = bench.database
  const { platform, external_id: place } = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', conversation)
    .executeTakeFirstOrThrow()
  const underWay = createActivityReader(db, platform)
  const states = await underWay.statesOf([place, 'elsewhere'])
  expect([...states]).toEqual([
    [place, 'working'],
    ['elsewhere', 'idle'],
  ])
  expect(await underWay.endedWithin(60_000)).toEqual([])
  const end = (endedAt: Date) => db.updateTable('turn').set({ state: 'done', ended_at: endedAt })
  await end(new Date()).execute()
  expect([...(await underWay.statesOf([place]))]).toEqual([[place, 'idle']])
  expect(await underWay.endedWithin(60_000)).toEqual([place])
  expect(await createActivityReader(db, 'another').endedWithin(60_000)).toEqual([])
  await end(new Date(Date.now() - 120_000)).execute()
  expect(await underWay.endedWithin(60_000)).toEqual([])
})

function stateOf({ ctx }: BenchContext) {
  const { statesOf } = createActivityReader(ctx.db, 'test')
  return async () => (await statesOf(['room'])).get('room')
}

test('SLACK-05 APPR-13 a turn waits once nothing is left of it but what people are asked, and no longer than that', async () => {
  const both = calls([
    toRequest('read', { path: 'a.txt' }),
    toRequest('bash', { command: 'touch a' }),
  ])
  await using bench = await createBenchContext(createScriptedModel([both, say('done')]))
  const state = stateOf(bench)
  await bench.say('go')
  await bench.step()
  const [reading] = await bench.calls()
  if (reading === undefined) throw new Error('no call')
  expect(await state()).toBe('working')
  await bench.started(reading)
  await bench.result(reading, ok)
  await bench.step()
  expect(await state()).toBe('waiting')
  await bench.say('/approve')
  expect(await state()).toBe('working')
  await bench.step()
  expect(await state()).toBe('working')
})

test('SLACK-05 APPR-01 a question whose card waits for its diff keeps the worker busy, and nobody waiting yet', async () => {
  const write = call('write', { path: 'a.txt', content: 'a' })
  await using bench = await createBenchContext(createScriptedModel([write, say('done')]))
  bench.rules.text = '{ "*": "ask" }'
  const state = stateOf(bench)
  await bench.say('go')
  await bench.step()
  const [asking] = await bench.calls()
  if (asking === undefined) throw new Error('no call')
  expect(await state()).toBe('working')
  await bench.result(asking, { kind: 'preview', diff: '+a', baseSha256: 'a'.repeat(64) }, 1)
  expect(await state()).toBe('waiting')
})
