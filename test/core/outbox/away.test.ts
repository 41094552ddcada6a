import { expect, test, vi } from 'vitest'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { TakeoverGuard } from '../../../src/core/delivery/take-over.ts'
import type { ChatPlatform } from '../../../src/ports/chat.ts'
import { createBenchContext } from '../../support/bench-context.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { createScriptedModel } from '../../support/scripted-model.ts'

const loss = () => Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })

test('CHAT-06 INT-32 what was sent while the database went away is recorded when it is back, not sent again', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  const conversation = await bench.act({ kind: 'message', text: '/help' })
  const platform = createRecordingPlatform()
  let losses = 0
  const ctx = Object.defineProperty({ ...bench.ctx }, 'db', {
    get: () => {
      if (platform.texts().length === 0 || losses === 3) return db
      losses += 1
      throw loss()
    },
  })
  await deliverConversation(ctx, platform, conversation)
  expect(losses).toBe(3)
  expect(platform.texts()).toHaveLength(1)
  expect(await db.selectFrom('outbox').select('state').execute()).toEqual([{ state: 'sent' }])
})

test('CHAT-06 INT-32 a part that went while the database went away is recorded before the next one goes', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  const conversation = await bench.act({ kind: 'message', text: '/help' })
  const parts: string[] = []
  const platform: ChatPlatform = {
    name: 'test',
    live: () => undefined,
    deliver: async (_conversation, _message, context) => {
      for (const part of ['7', '8'].slice(context.sentParts.length)) {
        parts.push(part)
        if (part === '7') await context.onPart(part)
      }
      return { kind: 'sent', messageId: '8' }
    },
  }
  let losses = 0
  const losing = new Proxy(db, {
    get: (target, name) => {
      if (parts.length === 0 || losses === 3) {
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      }
      losses += 1
      throw loss()
    },
  })
  await deliverConversation({ ...bench.ctx, db: losing }, platform, conversation)
  expect(losses).toBe(3)
  expect(parts).toEqual(['7', '8'])
  expect(await db.selectFrom('outbox').select(['state', 'parts']).execute()).toEqual([
    { state: 'sent', parts: '["7"]' },
  ])
})

test('CHAT-06 INT-18 nothing is taken over from a sender who could not say that it lives', async () => {
  await using bench = await createBenchContext(createScriptedModel([]))
  const { db } = bench.database
  const conversation = await bench.act({ kind: 'message', text: '/help' })
  await db
    .updateTable('outbox')
    .set({ claimed_until: new Date(0) })
    .execute()
  const platform = createRecordingPlatform()
  await deliverConversation(bench.ctx, platform, conversation, { takesOver: false })
  expect(platform.texts()).toEqual([])
  await deliverConversation(bench.ctx, platform, conversation, { takesOver: true })
  expect(platform.texts()).toHaveLength(1)
})

test('INT-32 for a while after the database was away others are taken to live', async () => {
  const clock = vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const takeOver = new TakeoverGuard(15_000)
    expect(takeOver.isSafe).toBe(true)
    await expect(takeOver.trackOutages(() => Promise.reject(new Error('a bug')))).rejects.toThrow(
      'bug',
    )
    expect(takeOver.isSafe).toBe(true)
    await expect(takeOver.trackOutages(() => Promise.reject(loss()))).rejects.toThrow('gone')
    clock.advanceTimersByTime(15_000)
    expect(takeOver.isSafe).toBe(false)
    clock.advanceTimersByTime(1)
    expect(takeOver.isSafe).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
