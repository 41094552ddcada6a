import { expect, test } from 'vitest'
import { createUnderWay } from '../../../src/core/outbox/under-way.ts'
import { createBenchKernel } from '../../support/bench-kernel.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

test('SLACK-05 what is under way, and what ended lately, is by the rows of turns', async () => {
  await using bench = await createBenchKernel(createScriptedModel([say('done')]))
  const conversation = await bench.say('go')
  const { db } = bench.database
  const { platform, external_id: place } = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', conversation)
    .executeTakeFirstOrThrow()
  const underWay = createUnderWay(db, platform)
  expect(await underWay.idleOf([place, 'elsewhere'])).toEqual(['elsewhere'])
  expect(await underWay.endedWithin(60_000)).toEqual([])
  const end = (endedAt: Date) => db.updateTable('turn').set({ state: 'done', ended_at: endedAt })
  await end(new Date()).execute()
  expect(await underWay.idleOf([place])).toEqual([place])
  expect(await underWay.endedWithin(60_000)).toEqual([place])
  expect(await createUnderWay(db, 'another').endedWithin(60_000)).toEqual([])
  await end(new Date(Date.now() - 120_000)).execute()
  expect(await underWay.endedWithin(60_000)).toEqual([])
})
