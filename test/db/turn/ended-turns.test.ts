import { expect, test } from 'vitest'
import { readDatabaseTime } from '../../../src/db/turn/leases.ts'
import { hasEndedInFailure } from '../../../src/db/turn/turn-activity.ts'
import { ModelError } from '../../../src/ports/model.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

test('TERM-01 CLI-01 a failed turn counts until the next of its session went on from it; one of an earlier start never counts', async () => {
  const refused = new ModelError('refused', 'no such model')
  const model = createScriptedModel([refused, say('It works.'), refused, say('Fresh.')])
  await using bench = await createBenchContext(model)
  const { db } = bench.database
  const startedAt = await readDatabaseTime(db)
  const conversationId = await bench.say('go')
  const failed = () => hasEndedInFailure(db, conversationId, startedAt)
  await bench.step()
  expect(await failed()).toBe(true)
  await bench.say('/retry')
  await bench.step()
  expect(await failed()).toBe(false)
  await bench.say('go on')
  await bench.step()
  await bench.say('/clear')
  await bench.say('hello')
  await bench.step()
  expect(await failed()).toBe(true)
  expect(await hasEndedInFailure(db, conversationId, await readDatabaseTime(db))).toBe(false)
})
