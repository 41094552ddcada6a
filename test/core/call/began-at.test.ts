import { expect, test } from 'vitest'
import { createBenchContext, ok } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

async function begin() {
  const bench = await createBenchContext(
    createScriptedModel([call('read', { path: 'a' }), say('done')]),
  )
  await bench.say('hi')
  await bench.step()
  const [first] = await bench.calls()
  if (first === undefined) throw new Error('no call')
  return { bench, first }
}

test('LOOP-04 a result that overtakes the word of its start says when the call began, and that word changes nothing any more', async () => {
  const { bench, first } = await begin()
  await using _bench = bench
  await bench.result(first, ok, first.attempt, 250)
  await bench.started(first)
  const [settled] = await bench.calls()
  expect(settled).toMatchObject({ state: 'succeeded', duration_ms: 250 })
  const ran = (settled?.settled_at?.getTime() ?? 0) - (settled?.started_at?.getTime() ?? 0)
  expect(ran).toBe(250)
})

test('LOOP-04 when it began is of the attempt that ended, whatever an earlier one said', async () => {
  const { bench, first } = await begin()
  await using _bench = bench
  await bench.started(first)
  const { db } = bench.database
  const started_at = new Date(Date.now() - 3_600_000)
  await db.updateTable('tool_call').set({ state: 'queued', attempt: 2, started_at }).execute()
  await bench.result(first, ok, 2, 250)
  const [settled] = await bench.calls()
  const ran = (settled?.settled_at?.getTime() ?? 0) - (settled?.started_at?.getTime() ?? 0)
  expect(ran).toBe(250)
})

test('LOOP-04 the word of its start is kept where it came first, and a call that never ran began at no time', async () => {
  const heard = await begin()
  await using _heard = heard.bench
  await heard.bench.started(heard.first)
  const [running] = await heard.bench.calls()
  await heard.bench.result(heard.first, ok, heard.first.attempt, 250)
  const [settled] = await heard.bench.calls()
  expect(settled?.started_at).toEqual(running?.started_at)
  const idle = await begin()
  await using _idle = idle.bench
  await idle.bench.result(idle.first, ok, idle.first.attempt, 0)
  const [never] = await idle.bench.calls()
  expect(never).toMatchObject({ state: 'succeeded', started_at: null })
})
