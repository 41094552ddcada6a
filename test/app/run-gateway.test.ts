import { expect, test } from 'vitest'
import { runGateway } from '../../src/app/run-gateway.ts'
import { liveTopic } from '../../src/rules/jobs/contract.ts'
import { newId } from '../../src/util/new-id.ts'
import { createBenchKernel } from '../support/bench-kernel.ts'
import { createMemoryBus } from '../support/memory-queue.ts'
import { createRecordingPlatform } from '../support/recording-platform.ts'
import { createScriptedModel, say } from '../support/scripted-model.ts'

test('INT-2 live text of a holder that lost its turn is not shown, nor any after the answer', async () => {
  await using bench = await createBenchKernel(createScriptedModel([say('ok')]))
  const bus = createMemoryBus()
  const platform = createRecordingPlatform()
  await using gateway = await runGateway({ ...bench.kernel, people: {} }, bus, platform)
  const conversationId = await gateway.act({
    platform: 'test',
    externalId: newId(),
    conversation: 'room',
    callerId: 'test:ada',
    body: { kind: 'message', text: 'hi' },
  })
  const turn = await bench.database.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
  const live = (epoch: number, text: string) =>
    bus.publish(liveTopic, {
      conversationId,
      event: { kind: 'text', turnId: turn.id, epoch, text },
    })
  await live(1, 'first')
  await live(2, 'second')
  await live(1, 'late')
  await live(2, 'third')
  await bus.publish(liveTopic, { conversationId, event: { kind: 'forged' } })
  await expect.poll(() => platform.lives.length).toBe(3)
  expect(platform.lives.map((event) => event.kind === 'text' && event.text)).toEqual([
    'first',
    'second',
    'third',
  ])
  await bench.step()
  await expect.poll(() => platform.answers(), { timeout: 10_000 }).toEqual(['ok'])
  await live(3, 'after the answer')
  await live(99, 'long after')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(platform.lives).toHaveLength(3)
})
