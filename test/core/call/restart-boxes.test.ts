import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { restartBoxes } from '../../../src/core/call/restart-boxes.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

test('DECISION-1 a restart of a box reaches a replica that is not heard of just now, and is asked for until it was sent', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('done')]))
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await sql`update worker set seen_at = now() - interval '5 minutes'`.execute(db)
  await bench.say('/clear')
  const away = { ...bench.ctx.signals, sendJob: () => Promise.reject(new Error('away')) }
  await expect(restartBoxes({ ...bench.ctx, signals: away })).rejects.toThrow('away')
  const before = bench.restarts.length
  await restartBoxes(bench.ctx)
  expect(bench.restarts.length).toBe(before + 1)
  await restartBoxes(bench.ctx)
  expect(bench.restarts.length).toBe(before + 1)
})
