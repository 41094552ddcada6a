import { expect, test } from 'vitest'
import {
  receiveWorkerMessage,
  recordUntoldDrops,
} from '../../../../src/core/call/result/receive-worker-message.ts'
import { generateKeyPair } from '../../../../src/rules/jobs/keys.ts'
import { createSigner, signMessage } from '../../../../src/rules/jobs/sign.ts'
import { newId } from '../../../../src/util/ids.ts'
import { createBenchContext } from '../../../support/bench-context.ts'
import { createScriptedModel, say } from '../../../support/scripted-model.ts'

test('REL-03 THREAT-5 of many dropped messages a minute has a hundred rows, and one that counts the others', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('x')]))
  const { ctx, database } = bench
  const notes = async () => {
    const { db } = database
    const rows = await db.selectFrom('audit_log').selectAll().orderBy('id').execute()
    return rows.map(({ kind, body }) => [kind, JSON.parse(body).note])
  }
  const junk = Array.from({ length: 250 }, () => receiveWorkerMessage(ctx, 'junk'))
  await Promise.all(junk)
  expect(await notes()).toEqual(Array(100).fill(['dropped_result', 'it is not a signed message']))
  expect(bench.events).toHaveLength(250)
  await recordUntoldDrops(ctx)
  await recordUntoldDrops(ctx)
  await receiveWorkerMessage(ctx, 'junk')
  expect((await notes()).slice(100)).toEqual([
    ['dropped_result', '150 more dropped in the last minute'],
    ['dropped_result', 'it is not a signed message'],
  ])
})

test('REL-03 THREAT-5 many messages of replicas that nobody greeted keep nobody waiting', async () => {
  await using bench = await createBenchContext(createScriptedModel([say('x')]))
  const signer = createSigner(generateKeyPair().privateKeyPem)
  const startedAt = performance.now()
  // One after the other they would wait for their greetings for a minute.
  for (let round = 0; round < 10; round += 1) {
    const six = Array.from({ length: 6 }, () => ofStranger(signer))
    const ends = six.map((message) => receiveWorkerMessage(bench.ctx, message))
    await Promise.race(ends)
  }
  expect(performance.now() - startedAt).toBeLessThan(30_000)
  expect((await bench.calls()).length).toBe(0)
})

function ofStranger(signer: ReturnType<typeof createSigner>) {
  const at = new Date().toISOString()
  const about = { worker: 'default', replica: newId(), at, callId: newId(), attempt: 1 }
  return signMessage(signer, { ...about, type: 'started' })
}
