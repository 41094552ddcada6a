import { describe, expect, test } from 'vitest'
import { postCard, updateCard } from '../../../src/core/card/cards.ts'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { notice, transact } from '../../../src/core/transaction.ts'
import type { ChatPlatform } from '../../../src/ports/chat.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { deliverAll } from '../../support/deliver-all.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const asking = () => createScriptedModel([call('bash', { command: 'true' }), say('done')])

async function bench(): Promise<BenchContext & { conversation: string }> {
  const made = await createBenchContext(asking())
  const conversation = await made.act({ kind: 'message', text: '/help' })
  return Object.assign(made, { conversation })
}

async function post(ctx: BenchContext, conversation: string, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await transact(ctx.ctx, (tx) => notice(tx, conversation, text))
  }
}

describe('the outbox', () => {
  test('CHAT-06 messages of a conversation go out in order, once, whatever many deliver at once', async () => {
    await using room = await bench()
    const texts = Array.from({ length: 12 }, (_, index) => `message ${index}`)
    await post(room, room.conversation, ...texts)
    const platform = createRecordingPlatform()
    await Promise.all(
      Array.from({ length: 6 }, () => deliverConversation(room.ctx, platform, room.conversation)),
    )
    await deliverAll(room.ctx, platform)
    expect(platform.texts().slice(1)).toEqual(texts)
  })

  test('INT-18 an edit waits for the message it edits, also with two gateways', async () => {
    await using room = await bench()
    await room.say('go')
    await room.step()
    const approval = await room.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    await transact(room.ctx, (tx) => updateCard(tx, approval, { kind: 'cancelled', why: 'a test' }))
    const platform = createRecordingPlatform()
    await Promise.all([deliverAll(room.ctx, platform), deliverAll(room.ctx, platform)])
    await deliverAll(room.ctx, platform)
    expect(platform.statesOf(1)).toEqual(['waiting', 'cancelled'])
  })

  test('CHAT-06 pending edits of one message collapse to the last', async () => {
    await using room = await bench()
    await room.say('go')
    await room.step()
    const approval = await room.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    for (const why of ['one', 'two', 'three']) {
      await transact(room.ctx, (tx) => updateCard(tx, approval, { kind: 'cancelled', why }))
    }
    const platform = createRecordingPlatform()
    await deliverAll(room.ctx, platform)
    expect(platform.statesOf(1)).toEqual(['waiting', 'cancelled'])
    expect(platform.cards()[0]?.status).toEqual({ kind: 'cancelled', why: 'three' })
  })

  test('CHAT-06 APPR-05 an edit that was put off while a later one was posted never shows after it', async () => {
    await using room = await bench()
    await room.say('go')
    await room.step()
    const { db } = room.database
    const approval = await db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
    const cancel = (why: string) =>
      transact(room.ctx, (tx) => updateCard(tx, approval, { kind: 'cancelled', why }))
    const platform = createRecordingPlatform()
    await deliverAll(room.ctx, platform)
    await cancel('older')
    let tries = 0
    const slow: ChatPlatform = {
      ...platform,
      deliver: async (...given) => {
        tries += 1
        if (tries > 1) return platform.deliver(...given)
        // While it is on its way what it says changes.
        await cancel('newer')
        return { kind: 'busy', afterMs: 300_000, why: '429' }
      },
    }
    await deliverAll(room.ctx, slow)
    await db
      .updateTable('outbox')
      .set({ not_before: new Date(0) })
      .where('state', '=', 'pending')
      .execute()
    await deliverAll(room.ctx, slow)
    expect(platform.cards().at(-1)?.status).toEqual({ kind: 'cancelled', why: 'newer' })
    const left = await db.selectFrom('outbox').selectAll().where('state', '!=', 'sent').execute()
    expect(left).toEqual([])
  })

  test('INT-16 APPR-05 a card posted twice (a crash between send and record) is edited in every copy', async () => {
    await using room = await bench()
    await room.say('go')
    await room.step()
    const approval = await room.database.db
      .selectFrom('approval')
      .selectAll()
      .executeTakeFirstOrThrow()
    await transact(room.ctx, (tx) => postCard(tx, approval))
    await room.say('/deny')
    const edited: (string | undefined)[] = []
    const platform = createRecordingPlatform()
    const spied = {
      ...platform,
      deliver: (...args: Parameters<typeof platform.deliver>) => {
        if (args[1].kind === 'card_update') edited.push(args[2].editOf)
        return platform.deliver(...args)
      },
    }
    await deliverAll(room.ctx, spied)
    expect(new Set(edited).size).toBe(2)
  })

  test('INT-19 CHAT-06 a platform that says "later" is obeyed by the row; the order stays', async () => {
    await using room = await bench()
    await post(room, room.conversation, 'first', 'second')
    let refused = 0
    const platform = createRecordingPlatform('test', () =>
      refused++ === 0 ? { kind: 'busy', afterMs: 300_000, why: '429' } : undefined,
    )
    await deliverAll(room.ctx, platform)
    await deliverAll(room.ctx, platform)
    expect(platform.sent).toEqual([])
    const { db } = room.database
    await db
      .updateTable('outbox')
      .set({ not_before: new Date(0) })
      .execute()
    await deliverAll(room.ctx, platform)
    expect(platform.texts().slice(1)).toEqual(['first', 'second'])
  })

  test('DECISION-26 CHAT-06 what a platform refuses for good becomes a dead letter and holds nothing up', async () => {
    await using room = await bench()
    await post(room, room.conversation, 'bad', 'good')
    const platform = createRecordingPlatform('test', (message) =>
      message.kind === 'notice' && message.text === 'bad'
        ? { kind: 'refused', why: 'chat not found' }
        : undefined,
    )
    await deliverAll(room.ctx, platform)
    expect(platform.texts().slice(1)).toEqual(['good'])
    const dead = await room.database.db
      .selectFrom('outbox')
      .selectAll()
      .where('state', '=', 'dead')
      .execute()
    expect(dead).toMatchObject([{ failure: 'chat not found' }])
  })
})

test('INT-16 INT-18 a card that two gateways sent, since one was taken for dead, is edited in both copies', async () => {
  await using room = await bench()
  await room.say('go')
  await room.step()
  const { db } = room.database
  const stopped = Promise.withResolvers<void>()
  const edited: (string | undefined)[] = []
  const gateway = (messageId: string, wait?: Promise<void>) => ({
    name: 'test',
    live: () => undefined,
    deliver: async (...[, message, context]: Parameters<ChatPlatform['deliver']>) => {
      if (message.kind === 'card') await wait
      if (message.kind === 'card_update') edited.push(context.editOf)
      return { kind: 'sent', messageId } as const
    },
  })
  await deliverConversation(room.ctx, gateway('0'), room.conversation)
  await room.say('/approvals')
  const standing = deliverConversation(room.ctx, gateway('1', stopped.promise), room.conversation)
  const claimed = () =>
    db.selectFrom('outbox').select('id').where('claimed_until', '>', new Date()).execute()
  await expect.poll(async () => (await claimed()).length).toBeGreaterThan(0)
  await db
    .updateTable('outbox')
    .set({ claimed_until: new Date(0) })
    .where('state', '=', 'pending')
    .execute()
  await deliverConversation(room.ctx, gateway('2'), room.conversation)
  stopped.resolve()
  await standing
  await room.say('/deny')
  await deliverConversation(room.ctx, gateway('3'), room.conversation)
  expect(new Set(edited)).toEqual(new Set(['0', '1', '2']))
})
