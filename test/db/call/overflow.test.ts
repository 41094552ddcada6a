import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findOverflowOfCall, insertOverflow } from '../../../src/db/call/overflow.ts'
import { newId } from '../../../src/util/ids.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel } from '../../support/scripted-model.ts'

test('OUT-09 OUT-10 LOOP-12 of a call, the whole of what it gave is found, not what was put aside later to make room', async () => {
  await using bench = await createBenchContext(createScriptedModel([call('read', { path: 'a' })]))
  await bench.say('go')
  await bench.step()
  const [one] = await bench.calls()
  if (one === undefined) throw new Error('no call')
  const { db } = bench.database
  const of = { sessionId: one.session_id, callId: one.id }
  const whole = newId()
  await insertOverflow(db, { ...of, id: whole, content: 'all of it', kind: 'whole' })
  const made = { content: 'what the model was shown of it', kind: 'compacted' } as const
  await insertOverflow(db, { ...of, id: newId(), ...made })
  expect(await findOverflowOfCall(db, one.id, 7)).toEqual({ id: whole, content: 'all of it' })
  await sql`update tool_overflow set created_at = 'epoch' where id = ${whole}`.execute(db)
  expect(await findOverflowOfCall(db, one.id, 7)).toBeUndefined()
})
