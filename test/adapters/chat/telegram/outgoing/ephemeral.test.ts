import { GrammyError } from 'grammy'
import { describe, expect, test } from 'vitest'
import { createEphemeralMessages } from '../../../../../src/adapters/chat/telegram/outgoing/create-ephemeral-messages.ts'
import type { Outgoing } from '../../../../../src/ports/chat.ts'
import { aContext, openOutgoing } from './outgoing-place.ts'

const refusal: Outgoing = { kind: 'notice', text: 'Nothing waits.', onlyFor: 'telegram:42' }

type Out = Awaited<ReturnType<typeof openOutgoing>>

function triesOf(out: Out): boolean[] {
  const calls = out.telegram.callsOf('sendMessage')
  return calls.map(({ params }) => params['ephemeral_message_parameters'] !== undefined)
}

function seenByAll(out: Out): string[] {
  return out.forum.messages().map(({ text }) => text)
}

describe('TG-06 a notice for one member of a group', () => {
  test('is shown to that person only if the bot is an administrator, in its topic', async () => {
    await using out = await openOutgoing()
    out.forum.promote()
    const topic = out.forum.topic('Red')
    const sent = await out.platform.deliver(`-1001/${topic}`, refusal, aContext())
    expect(sent).toEqual({ kind: 'sent', messageId: 'only-29000001' })
    expect(out.forum.ephemeral).toEqual([
      { id: 29_000_001, receiver: out.ada, text: 'Nothing waits.', threadId: topic },
    ])
    expect(seenByAll(out)).toEqual([])
  })

  test('is shown to everyone if it is not, which is tested only from time to time', async () => {
    await using out = await openOutgoing()
    const sent = await out.platform.deliver('-1001', refusal, aContext())
    expect(sent).toMatchObject({ kind: 'sent', messageId: String(out.forum.messages()[0]?.id) })
    await out.platform.deliver('-1001', refusal, aContext())
    expect(seenByAll(out)).toEqual(['Nothing waits.', 'Nothing waits.'])
    expect(triesOf(out)).toEqual([true, false, false])
  })

  test('is shown to everyone, once, by a server without support, which is not tried again', async () => {
    await using out = await openOutgoing({ telegram: { lacks: ['ephemeral_messages'] } })
    out.forum.promote()
    await out.platform.deliver('-1001', refusal, aContext())
    expect(seenByAll(out)).toEqual(['Nothing waits.'])
    await out.platform.deliver('-1001', refusal, aContext())
    expect(triesOf(out)).toEqual([true, false])
  })

  test('is an ordinary message in private, and for a person of another platform', async () => {
    await using out = await openOutgoing()
    out.forum.promote()
    await out.platform.deliver('42', refusal, aContext())
    await out.platform.deliver('-1001', { ...refusal, onlyFor: 'slack:T1:U1' }, aContext())
    expect(triesOf(out)).toEqual([false, false])
    expect(out.chat.messages()).toHaveLength(1)
    expect(seenByAll(out)).toHaveLength(1)
  })

  test('is shown to everyone if it takes several messages', async () => {
    await using out = await openOutgoing()
    out.forum.promote()
    await out.platform.deliver('-1001', { ...refusal, text: 'x y\n'.repeat(2_000) }, aContext())
    expect(out.forum.ephemeral).toEqual([])
    expect(seenByAll(out).length).toBeGreaterThan(1)
  })

  test('CHAT-06 waits if the platform asks to, and is not shown to everyone instead', async () => {
    await using out = await openOutgoing()
    out.forum.promote()
    out.telegram.failNext('sendMessage', { kind: '429', retryAfter: 7 })
    const sent = await out.platform.deliver('-1001', refusal, aContext())
    expect(sent).toMatchObject({ kind: 'busy', afterMs: 7_000 })
    expect(triesOf(out)).toEqual([true])
  })

  test('is tried again later, as the bot may have become an administrator', async () => {
    let now = 0
    const messages = createEphemeralMessages(() => now)
    const tries: boolean[] = []
    const send = () =>
      messages.send({ chatId: -5 }, 'telegram:42', async (other) => {
        const isAlone = other.ephemeral_message_parameters !== undefined
        tries.push(isAlone)
        const answer = {
          ok: false as const,
          error_code: 400,
          description: 'Bad Request: MESSAGE_NOT_COMMAND',
        }
        if (isAlone) throw new GrammyError('refused', answer, 'sendMessage', {})
        return { message_id: 7 }
      })
    expect(await send()).toBe('7')
    await send()
    now = 600_000
    await send()
    expect(tries).toEqual([true, false, false, true, false])
  })
})
