import { expect, test } from 'vitest'
import { findOverflowOfCall, insertOverflow } from '../../src/db/overflow.ts'
import { newId } from '../../src/util/new-id.ts'
import { createBenchKernel } from '../support/bench-kernel.ts'
import { call, createScriptedModel } from '../support/scripted-model.ts'

test('OUT-09 OUT-10 LOOP-12 of a call, the whole of what it gave is found, not what was put aside later to make room', async () => {
  await using bench = await createBenchKernel(createScriptedModel([call('read', { path: 'a' })]))
  await bench.say('go')
  await bench.step()
  const [one] = await bench.calls()
  if (one === undefined) throw new Error('no call')
  const { db } = bench.database
  for (const content of ['all of it', 'what the model was shown of it']) {
    await insertOverflow(db, { id: newId(), sessionId: one.session_id, callId: one.id, content })
  }
  expect(await findOverflowOfCall(db, one.id, 7)).toBe('all of it')
})
