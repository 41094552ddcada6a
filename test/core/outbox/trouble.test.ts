import { describe, expect, test } from 'vitest'
import { deliverAll } from '../../../src/core/outbox/deliver.ts'
import { createBenchKernel } from '../../support/bench-kernel.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const asking = () => createScriptedModel([call('bash', { command: 'true' }), say('done')])

describe('a message that cannot be sent', () => {
  test('DECISION-26 REL-01 one that makes the adapter throw is put off, and given up in the end', async () => {
    await using bench = await createBenchKernel(asking())
    const { db } = bench.database
    await bench.say('/help')
    await bench.say('/nonsense')
    const platform = createRecordingPlatform('test', (message) => {
      if (message.kind === 'notice' && message.text.startsWith('Write what')) throw new TypeError()
      return undefined
    })
    for (let round = 0; round < 30; round += 1) {
      await deliverAll(bench.kernel, platform)
      await db
        .updateTable('outbox')
        .set({ not_before: new Date(0) })
        .execute()
    }
    expect(platform.texts()).toEqual(['There is no command /nonsense. /help lists them.'])
    const dead = await db.selectFrom('outbox').select('state').where('state', '=', 'dead').execute()
    expect(dead).toHaveLength(1)
  })

  test('APPR-16 DECISION-26 a card that could not be shown is told of, and cannot be approved unseen', async () => {
    await using bench = await createBenchKernel(asking())
    await bench.say('go')
    await bench.step()
    let isRefusing = true
    const platform = createRecordingPlatform('test', (message) =>
      message.kind === 'card' && isRefusing
        ? { kind: 'refused', why: 'message is too long' }
        : undefined,
    )
    await deliverAll(bench.kernel, platform)
    expect(platform.texts().at(-1)).toMatch(/Question 1 .*could not be shown/)
    await bench.say('/approve')
    expect((await bench.notices()).at(-1)).toContain('must be shown first')
    const state = async () =>
      (await bench.database.db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()).state
    expect(await state()).toBe('pending')
    isRefusing = false
    await bench.say('/approvals')
    await deliverAll(bench.kernel, platform)
    await bench.say('/approve')
    expect(await state()).toBe('approved')
  })
})
