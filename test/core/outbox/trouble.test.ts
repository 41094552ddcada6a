import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/core/approval/decide/decide.ts'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { notice, transact } from '../../../src/core/transaction.ts'
import { ensureConversation } from '../../../src/db/turn/conversations.ts'
import { ada, createBenchContext } from '../../support/bench-context.ts'
import { deliverAll } from '../../support/deliver-all.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const asking = () => createScriptedModel([call('bash', { command: 'true' }), say('done')])

describe('a message that cannot be sent', () => {
  test('DECISION-26 REL-01 one that makes the adapter throw is put off, and given up in the end', async () => {
    await using bench = await createBenchContext(asking())
    const { db } = bench.database
    await bench.say('/help')
    await bench.say('/nonsense')
    const platform = createRecordingPlatform('test', (message) => {
      if (message.kind === 'notice' && message.text.startsWith('Write what')) throw new TypeError()
      return undefined
    })
    for (let round = 0; round < 30; round += 1) {
      await deliverAll(bench.ctx, platform)
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
    await using bench = await createBenchContext(asking())
    await bench.say('go')
    await bench.step()
    let isRefusing = true
    const platform = createRecordingPlatform('test', (message) =>
      message.kind === 'card' && isRefusing
        ? { kind: 'refused', why: 'message is too long' }
        : undefined,
    )
    await deliverAll(bench.ctx, platform)
    await deliverAll(bench.ctx, platform)
    expect(platform.texts().at(-1)).toMatch(/Approval 1 .*could not be shown/)
    await bench.say('/approve')
    expect((await bench.notices()).at(-1)).toContain('must be shown first')
    const state = async () =>
      (await bench.database.db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()).state
    expect(await state()).toBe('pending')
    isRefusing = false
    await bench.say('/approvals')
    await deliverAll(bench.ctx, platform)
    await bench.say('/approve')
    expect(await state()).toBe('approved')
  })

  test('APPR-16 a card that still waits to be sent cannot be approved unseen, by a command either', async () => {
    await using bench = await createBenchContext(asking())
    await bench.say('go')
    await bench.step()
    const approval = await bench.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    const later = createRecordingPlatform('test', () => ({
      kind: 'busy',
      afterMs: 60_000,
      why: '429',
    }))
    await deliverAll(bench.ctx, later)
    const decided = await decide(bench.ctx, approval.id, ada, { kind: 'approve' })
    expect(decided).toMatchObject({ kind: 'forbidden', text: expect.stringContaining('shown') })
    expect((await decide(bench.ctx, approval.id, ada, { kind: 'deny' })).kind).toBe('applied')
  })

  test('REL-03 STORE-04 a platform that takes its time holds no connection, and keeps the order of each line', async () => {
    await using bench = await createBenchContext(asking())
    const { db } = bench.database
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1) {
      const { id } = await ensureConversation(db, 'test', `slow ${index}`)
      ids.push(id)
      await transact(bench.ctx, (tx) => notice(tx, id, `first ${index}`))
      await transact(bench.ctx, (tx) => notice(tx, id, `second ${index}`))
    }
    const slow = Promise.withResolvers<void>()
    const platform = createRecordingPlatform()
    let begun = 0
    const hanging = {
      ...platform,
      deliver: async (...args: Parameters<typeof platform.deliver>) => {
        begun += 1
        await slow.promise
        return platform.deliver(...args)
      },
    }
    const deliveries = ids.flatMap((id) => [
      deliverConversation(bench.ctx, hanging, id),
      deliverConversation(bench.ctx, hanging, id),
    ])
    await expect.poll(() => begun).toBe(12)
    // More hang than the pool has connections, and still the product goes on.
    await bench.say('go')
    await bench.step()
    expect(await bench.calls()).toHaveLength(1)
    slow.resolve()
    await Promise.all(deliveries)
    const texts = platform.texts()
    expect(texts).toHaveLength(24)
    for (let index = 0; index < 12; index += 1) {
      expect(texts.indexOf(`first ${index}`)).toBeLessThan(texts.indexOf(`second ${index}`))
    }
  })

  test('INT-16 a message whose sender died is sent by another when its claim has run out', async () => {
    await using bench = await createBenchContext(asking())
    const { db } = bench.database
    const id = await bench.say('/help')
    const platform = createRecordingPlatform()
    const dying = { ...platform, deliver: () => new Promise<never>(() => undefined) }
    void deliverConversation(bench.ctx, dying, id)
    const claimed = async () =>
      (await db.selectFrom('outbox').select('claimed_until').executeTakeFirst())?.claimed_until
    await expect.poll(claimed).not.toBeNull()
    await deliverAll(bench.ctx, platform)
    expect(platform.sent).toEqual([])
    await db
      .updateTable('outbox')
      .set({ claimed_until: new Date(0) })
      .execute()
    await deliverAll(bench.ctx, platform)
    expect(platform.sent).toHaveLength(1)
  })
})
