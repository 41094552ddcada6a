import { describe, expect, test } from 'vitest'
import { deliverConversation } from '../../../src/core/delivery/deliver.ts'
import { createTransientMessageLock } from '../../../src/core/delivery/transient-message-lock.ts'
import { notice, post, transact } from '../../../src/core/transaction.ts'
import type { TurnRow } from '../../../src/db/schema.ts'
import type { ChatPlatform, DeliveryContext, LiveSubject } from '../../../src/ports/chat.ts'
import { newId } from '../../../src/util/ids.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { createRecordingPlatform } from '../../support/recording-platform.ts'
import { call, calls, createScriptedModel, say, toRequest } from '../../support/scripted-model.ts'

/** A room with a turn that thinks, under the epoch that its row has. */
async function thinking() {
  const bench = await createBenchContext(createScriptedModel([say('done')]))
  const conversation = await bench.say('go')
  const { db } = bench.database
  const turn = await db
    .updateTable('turn')
    .set({ state: 'thinking', epoch: 1 })
    .returningAll()
    .executeTakeFirstOrThrow()
  const stage = createTransientMessageLock(bench.ctx, 'test')
  return Object.assign(bench, { conversation, turn, stage, about: subjectOf(turn) })
}

function subjectOf(turn: TurnRow, epoch = 1): LiveSubject {
  return { kind: 'turn', turnId: turn.id, epoch }
}

/** A platform that can take passing messages away, noting what it was asked. */
function erasing(log: string[]): ChatPlatform & { contexts: DeliveryContext[] } {
  const contexts: DeliveryContext[] = []
  return {
    name: 'test',
    contexts,
    live: () => undefined,
    retract: async (_place, messageId) => void log.push(`retract ${messageId}`),
    deliver: async (_place, message, context) => {
      contexts.push(context)
      log.push(message.kind === 'notice' ? message.text : message.kind)
      return { kind: 'sent', messageId: newId() }
    },
  }
}

async function tell(bench: BenchContext, conversation: string, text: string): Promise<void> {
  await transact(bench.ctx, (tx) => notice(tx, conversation, text))
}

describe('what passes and what lasts', () => {
  test('CHAT-04 the passing message of a turn is kept, and its answer takes its place', async () => {
    await using room = await thinking()
    const seen: (string | undefined)[] = []
    const show = (id: string) => async (messageId: string | undefined) => {
      seen.push(messageId)
      return id
    }
    expect(await room.stage.hold('room', room.about, show('41'))).toBe(true)
    expect(await room.stage.hold('room', room.about, show('41'))).toBe(true)
    expect(seen).toEqual([undefined, '41'])
    await transact(room.ctx, (tx) =>
      post(tx, room.conversation, {
        kind: 'answer',
        markdown: 'Done.',
        turnId: room.turn.id,
      }),
    )
    const log: string[] = []
    const platform = erasing(log)
    await deliverConversation(room.ctx, platform, room.conversation)
    expect(log).toEqual(['answer'])
    expect(platform.contexts[0]?.liveMessageId).toBe('41')
    await tell(room, room.conversation, 'later')
    await deliverConversation(room.ctx, platform, room.conversation)
    expect(log).toEqual(['answer', 'later'])
    expect(platform.contexts[1]?.liveMessageId).toBeUndefined()
  })

  test('CHAT-04 anything else that lasts takes the passing message away first', async () => {
    await using room = await thinking()
    await room.stage.hold('room', room.about, async () => '41')
    await tell(room, room.conversation, 'a notice')
    const log: string[] = []
    await deliverConversation(room.ctx, erasing(log), room.conversation)
    expect(log).toEqual(['retract 41', 'a notice'])
  })

  test('INT-18 nothing passing shows while something lasting waits to be sent or is being sent', async () => {
    await using room = await thinking()
    await tell(room, room.conversation, 'first')
    expect(await room.stage.hold('room', room.about, async () => '41')).toBe(false)
    const { promise: sending, resolve: began } = Promise.withResolvers<void>()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const slow: ChatPlatform = {
      ...erasing([]),
      deliver: async () => {
        began()
        await answered
        return { kind: 'sent', messageId: '1' }
      },
    }
    const delivering = deliverConversation(room.ctx, slow, room.conversation)
    await sending
    expect(await room.stage.hold('room', room.about, async () => '41')).toBe(false)
    answer()
    await delivering
    expect(await room.stage.hold('room', room.about, async () => '41')).toBe(true)
  })

  test('INT-18 something lasting waits for a passing change in hand, and comes after it', async () => {
    await using room = await thinking()
    const log: string[] = []
    const { promise: showing, resolve: began } = Promise.withResolvers<void>()
    const { promise: shown, resolve: end } = Promise.withResolvers<void>()
    const holding = room.stage.hold('room', room.about, async () => {
      began()
      await shown
      log.push('passing')
      return '41'
    })
    await showing
    await tell(room, room.conversation, 'lasting')
    const delivering = deliverConversation(room.ctx, erasing(log), room.conversation)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(log).toEqual([])
    end()
    await Promise.all([holding, delivering])
    expect(log).toEqual(['passing', 'retract 41', 'lasting'])
  })

  test('CHAT-04 LOOP-04 an answer that took the passing message’s place is taken away by nothing that comes later', async () => {
    await using room = await thinking()
    const { db } = room.database
    await room.stage.hold('room', room.about, async () => '41')
    await transact(room.ctx, (tx) =>
      post(tx, room.conversation, {
        kind: 'answer',
        markdown: 'It.',
        turnId: room.turn.id,
      }),
    )
    const log: string[] = []
    const platform = erasing(log)
    const overIt = {
      ...platform,
      deliver: async () => ({ kind: 'sent', messageId: '41' }) as const,
    }
    await deliverConversation(room.ctx, overIt, room.conversation)
    // As if the record of it had been lost half-way: the passing message is still noted.
    await db
      .updateTable('conversation')
      .set({ live_message_id: '41', live_turn_id: room.turn.id })
      .execute()
    await tell(room, room.conversation, 'later')
    await deliverConversation(room.ctx, platform, room.conversation)
    expect(log).toEqual(['later'])
  })

  test('INT-18 whoever lost the right to the passing message stores nothing of it', async () => {
    await using room = await thinking()
    const { db } = room.database
    await room.stage.hold('room', room.about, async () => {
      await db
        .updateTable('conversation')
        .set({ live_message_id: null, live_until: new Date(Date.now() + 60_000) })
        .execute()
      return '41'
    })
    const row = await db
      .selectFrom('conversation')
      .select(['live_message_id', 'live_until'])
      .executeTakeFirstOrThrow()
    expect(row.live_message_id).toBeNull()
    expect(row.live_until).not.toBeNull()
  })

  test('INT-2 a turn that is over, or another holder’s, shows nothing', async () => {
    await using room = await thinking()
    const show = async () => '41'
    expect(await room.stage.hold('room', subjectOf(room.turn, 0), show)).toBe(false)
    await room.database.db.updateTable('turn').set({ state: 'done' }).execute()
    expect(await room.stage.hold('room', room.about, show)).toBe(false)
    expect(await room.stage.hold('elsewhere', room.about, show)).toBe(false)
  })

  test('SLACK-05 CHAT-04 a turn of which nothing is left but questions shows nothing; as long as another call of it runs it does', async () => {
    const both = calls([
      toRequest('read', { path: 'a.txt' }),
      toRequest('bash', { command: 'touch a' }),
    ])
    await using bench = await createBenchContext(createScriptedModel([both, say('done')]))
    const id = await bench.say('go')
    await bench.step()
    await deliverConversation(bench.ctx, createRecordingPlatform(), id)
    const stage = createTransientMessageLock(bench.ctx, 'test')
    const hold = async () => {
      const turn = await bench.database.db.selectFrom('turn').selectAll().executeTakeFirstOrThrow()
      return stage.hold('room', subjectOf(turn, turn.epoch), async () => '41')
    }
    expect(await hold()).toBe(true)
    const [reading] = await bench.calls()
    if (reading === undefined) throw new Error('no call')
    await bench.result(reading, { kind: 'succeeded', output: 'ok' })
    await bench.step()
    expect(await hold()).toBe(false)
  })

  test('INT-2 a change that failed, or whose gateway died, frees the place again', async () => {
    await using room = await thinking()
    const failing = room.stage.hold('room', room.about, async () => {
      throw new Error('429')
    })
    await expect(failing).rejects.toThrow('429')
    expect(await room.stage.hold('room', room.about, async () => '41')).toBe(true)
    const { db } = room.database
    await db
      .updateTable('conversation')
      .set({ live_until: new Date(Date.now() + 1_000) })
      .execute()
    await tell(room, room.conversation, 'waits a moment')
    const log: string[] = []
    await deliverConversation(room.ctx, erasing(log), room.conversation)
    expect(log).toEqual(['retract 41', 'waits a moment'])
  })

  test('APPR-13 a card shows how long its call runs only while it runs', async () => {
    await using bench = await createBenchContext(
      createScriptedModel([call('bash', { command: 'true' }), say('done')]),
    )
    const id = await bench.say('go')
    await bench.step()
    const platform = createRecordingPlatform()
    await deliverConversation(bench.ctx, platform, id)
    const { approvalId = '' } = platform.cards()[0] ?? {}
    const stage = createTransientMessageLock(bench.ctx, 'test')
    const hold = () => stage.hold('room', { kind: 'card', approvalId }, async () => undefined)
    expect(await hold()).toBe(false)
    await bench.say('/approve')
    await bench.step()
    const [running] = await bench.calls()
    if (running === undefined) throw new Error('no call')
    await bench.started(running)
    await deliverConversation(bench.ctx, platform, id)
    expect(await hold()).toBe(true)
    await bench.result(running, { kind: 'succeeded', output: 'ok' })
    await deliverConversation(bench.ctx, platform, id)
    expect(await hold()).toBe(false)
  })
})
