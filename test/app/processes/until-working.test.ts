import { expect, test } from 'vitest'
import { untilWorking } from '../../../src/app/processes/until-working.ts'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { deleteReplicas } from '../../../src/db/worker/workers.ts'
import { messagesOf } from '../../../src/domain/messages/messages.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { createScriptedModel, say } from '../../support/scripted-model.ts'

const broken = new Error('the sandbox does not start')
const quick = { slowMs: 60_000, lingerMs: 20 }

async function waiting() {
  const bench = await createBenchContext(createScriptedModel([say('done')]))
  const ctx = { ...bench.ctx, messages: messagesOf('de') }
  const conversation = await bench.say('mach etwas')
  await bench.say('und noch etwas')
  const retireWorkers = () => deleteReplicas(bench.database.db, ctx.settings.worker)
  const told = async () => {
    const rows = await bench.database.db.selectFrom('outbox').select('body').execute()
    return rows.map(({ body }) => JSON.parse(body).text).filter((text) => /doctor/.test(text))
  }
  return Object.assign(bench, { ctx, conversation, told, retireWorkers })
}

test('CARD-06 REL-01 where the sandbox cannot start, people who wait are told once, in their language, and what they wrote is answered later', async () => {
  await using bench = await waiting()
  const { ctx, conversation } = bench
  const start = () => {
    const working = Promise.reject(broken)
    return untilWorking({ working, ctx }, new AbortController().signal, quick)
  }
  // Another process still runs tools.
  await expect(start()).rejects.toBe(broken)
  expect(await bench.told()).toEqual([])
  await bench.retireWorkers()
  await expect(start()).rejects.toBe(broken)
  await expect(start()).rejects.toBe(broken)
  expect(await bench.told()).toEqual([ctx.messages.inbox.toolsAway])
  await bench.step()
  const platform = createRecordingPlatform()
  await deliverConversation(ctx, platform, conversation)
  expect(platform.texts().slice(-2)).toEqual([ctx.messages.inbox.toolsAway, 'done'])
})

test('CARD-06 REL-01 a start that lasts is told of too, and one that works tells nobody', async () => {
  await using bench = await waiting()
  const { ctx } = bench
  await bench.retireWorkers()
  const { signal } = new AbortController()
  expect(await untilWorking({ working: Promise.resolve('ok'), ctx }, signal)).toBe('ok')
  expect(await bench.told()).toEqual([])
  const { promise, resolve } = Promise.withResolvers<string>()
  const opened = untilWorking({ working: promise, ctx }, signal, { slowMs: 1, lingerMs: 1 })
  await expect.poll(bench.told).toHaveLength(1)
  resolve('late')
  expect(await opened).toBe('late')
})
