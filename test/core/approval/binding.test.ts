import { expect, test } from 'vitest'
import { sha256 } from '../../../src/util/digest.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

const odd = '{ "command":"echo  \\u00e9", "timeout" : 5 }'
const model = () =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user' ? calls([toRequest('bash', odd)]) : say('done'),
  )

test('APPR-06 GATE-11 the very bytes that were shown and approved are signed and sent, nothing runs in between', async () => {
  await using bench = await createBenchContext(model())
  await bench.say('hi')
  await bench.step()
  await bench.say('/approve')
  await bench.step()
  const approval = await bench.database.db
    .selectFrom('approval')
    .selectAll()
    .executeTakeFirstOrThrow()
  const [sent] = bench.jobs
  expect(sent?.job.arguments).toBe(odd)
  const header = JSON.parse(sent?.job.header ?? '')
  expect(header.argumentsSha256).toBe(sha256(odd))
  expect(approval.arguments_sha256).toBe(sha256(odd))
  expect(header).toMatchObject({ approvalId: approval.id, caller: 'test:ada', timeoutMs: 5000 })
})

test('APPR-06 arguments that changed since the approval are a new question, not a run', async () => {
  await using bench = await createBenchContext(model())
  const { db } = bench.database
  await bench.say('hi')
  await bench.step()
  await bench.say('/approve')
  const other = '{"command":"rm -r everything"}'
  await db
    .updateTable('tool_call')
    .set({ arguments: other, arguments_sha256: sha256(other) })
    .execute()
  await bench.step()
  expect(bench.jobs).toEqual([])
  const states = await db.selectFrom('approval').select('state').orderBy('number').execute()
  expect(states.map((row) => row.state)).toEqual(['superseded', 'pending'])
})
