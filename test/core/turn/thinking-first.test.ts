import { expect, test } from 'vitest'
import type { ToolView } from '../../../src/domain/tool/tool-view.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { createBenchContext, ok, showCards } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const view: ToolView = { thinkingFrom: 0 }
const thought = 'I wonder which command would be right'

test('SCH-01 what a model thought is in no card, job, audit row or transcript, and the call is as if it had not been written', async () => {
  const model = createScriptedModel([
    call('bash', `{"thinking": ${JSON.stringify(thought)}, "command": "wc  a"}`),
    say('done'),
  ])
  await using bench = await createBenchContext(model, { toolView: view })
  await bench.say('go')
  await bench.step()
  const [asked] = await bench.calls()
  expect(asked).toMatchObject({
    state: 'awaiting_approval',
    arguments: '{"command": "wc  a"}',
    arguments_sha256: sha256('{"command": "wc  a"}'),
  })
  await showCards(bench.database.db)
  await bench.act({ kind: 'message', text: '/approve 1' })
  await bench.step()
  expect(bench.jobs.at(-1)?.job.arguments).toBe('{"command": "wc  a"}')
  const [sent] = await bench.calls()
  if (sent === undefined) throw new Error('no call')
  await bench.result(sent, ok)
  await bench.step()
  expect(model.requests).toHaveLength(2)
  const { db } = bench.database
  const kept = await Promise.all([
    db.selectFrom('message').selectAll().execute(),
    db.selectFrom('tool_call').selectAll().execute(),
    db.selectFrom('audit_log').selectAll().execute(),
    db.selectFrom('outbox').selectAll().execute(),
    db.selectFrom('attachment').select('id').execute(),
  ])
  expect(kept.flat().length).toBeGreaterThan(5)
  const everything = JSON.stringify([kept, bench.jobs, bench.events, model.requests[1]?.messages])
  expect(everything).toContain('wc  a')
  expect(everything).not.toContain(thought)
})

test('SCH-01 the model is shown the field where it is on, and refused it where it is off', async () => {
  const reading = () => call('read', { thinking: thought, path: 'a' })
  const on = createScriptedModel([reading(), say('done')])
  await using with_ = await createBenchContext(on, { toolView: view })
  await with_.say('go')
  await with_.step()
  const schema = on.requests[0]?.tools.find(({ name }) => name === 'read')?.schema
  expect(schema).toMatchObject({ properties: { thinking: { type: 'string' } }, required: ['path'] })
  expect(await with_.calls()).toMatchObject([{ state: 'queued', arguments: '{"path":"a"}' }])

  const off = createScriptedModel([reading(), say('done')])
  await using without = await createBenchContext(off)
  await without.say('go')
  await without.step()
  expect(JSON.stringify(off.requests[0]?.tools)).not.toContain('thinking')
  expect(await without.calls()).toMatchObject([
    { state: 'failed', error_category: 'invalid_parameters' },
  ])
})

test('SCH-01 LOOP-11 the same call with other thoughts is the same call', async () => {
  const model = createScriptedModel((_, index) =>
    call('read', { thinking: `thought ${index}`, path: 'a' }),
  )
  await using bench = await createBenchContext(model, { toolView: view })
  await bench.say('go')
  for (let step = 0; step < 3; step++) {
    await bench.step()
    const open = (await bench.calls()).find(({ settled_at }) => settled_at === null)
    if (open !== undefined) await bench.result(open, { kind: 'succeeded', output: `${step}` })
  }
  await bench.step()
  expect(model.requests).toHaveLength(3)
})
