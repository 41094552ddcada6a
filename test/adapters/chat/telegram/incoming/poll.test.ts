import { inspect } from 'node:util'
import { Api } from 'grammy'
import { describe, expect, test, vi } from 'vitest'
import { TokenRefused } from '../../../../../src/adapters/chat/telegram/incoming/api-failure.ts'
import { poll } from '../../../../../src/adapters/chat/telegram/incoming/poll.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { type Fault, randomFaults } from '../../../../support/telegram/limits/faults.ts'
import { createTelegram } from '../../../../support/telegram/telegram.ts'
import { MemoryLog } from './memory-log.ts'
import { createOddServer, oddToken } from './odd-server.ts'
import { ada, bob, startPoller } from './poller.ts'
import { RecordingIntake } from './recording-intake.ts'
import { me, privateMessage } from './updates.ts'

function textsOf(intake: RecordingIntake, place?: string): readonly string[] {
  const rows = intake.stored.filter((row) => place === undefined || row.place === place)
  return rows.map(({ act }) => {
    if (act.kind === 'stop') return act.kind
    return act.kind === 'message' ? act.text : act.token
  })
}

describe.concurrent('an update', () => {
  test('TG-01 LOOP-04 is confirmed only after its row is committed', async () => {
    await using telegram = await createTelegram()
    const commit = Promise.withResolvers<void>()
    const intake = new RecordingIntake()
    intake.committing = () => commit.promise
    telegram.privateChat(ada).send(ada, 'hello')
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => intake.taken.length === 1)
    expect(telegram.callsOf('getUpdates')).toHaveLength(1)
    expect(telegram.pendingUpdates()).toHaveLength(1)
    commit.resolve()
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(textsOf(intake)).toEqual(['hello'])
  })

  test('LOOP-04 arrives again if the poller ends before confirming it, and is taken once', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    telegram.privateChat(ada).send(ada, 'hello')
    await using first = startPoller(telegram, { intake })
    intake.committing = async () => first.abort()
    await first.ended
    expect(telegram.pendingUpdates()).toHaveLength(1)
    intake.committing = async () => undefined
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(intake.taken).toHaveLength(2)
    expect(textsOf(intake)).toEqual(['hello'])
  })

  test('TG-01 waits for the one before in its conversation, not for those of others', async () => {
    await using telegram = await createTelegram()
    const commit = Promise.withResolvers<void>()
    const intake = new RecordingIntake()
    intake.committing = ({ place, act }) =>
      place === '42' && act.kind === 'message' && act.text === 'one'
        ? commit.promise
        : Promise.resolve()
    const [adas, bobs] = [telegram.privateChat(ada), telegram.privateChat(bob)]
    adas.send(ada, 'one')
    adas.send(ada, 'two')
    bobs.send(bob, 'first')
    bobs.send(bob, 'second')
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => textsOf(intake, '43').length === 2)
    expect(textsOf(intake, '42')).toEqual([])
    expect(intake.taken).toHaveLength(3)
    commit.resolve()
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(textsOf(intake, '42')).toEqual(['one', 'two'])
    expect(textsOf(intake, '43')).toEqual(['first', 'second'])
  })

  test('REL-02 that is malformed or not for the bot is confirmed and does not block others', async () => {
    await using telegram = await createTelegram()
    await using poller = startPoller(telegram)
    await telegram.waitFor(() => telegram.isPolled())
    telegram.pushUpdate('message', { chat: 'a secret of Ada', text: 'a secret of Ada' })
    const group = telegram.group({ id: -100_7, title: 'Team', members: [ada] })
    group.sendAnonymously('/stop')
    telegram.privateChat(ada).send(ada, 'hello')
    await telegram.waitFor(
      () => telegram.pendingUpdates().length === 0 && poller.intake.stored.length > 0,
    )
    expect(textsOf(poller.intake)).toEqual(['hello'])
    expect(poller.log.having('malformed')).toHaveLength(1)
    expect(poller.log.lines.join()).not.toContain('a secret of Ada')
  })

  test('TG-06 a server that refuses an unknown kind of update is asked for the others from then on', async () => {
    await using telegram = await createTelegram({ lacks: ['can_stop'] })
    const description = 'Bad Request: unknown update type "stopped_message_generation"'
    telegram.failNext('getUpdates', { kind: 'status', code: 400, description })
    telegram.privateChat(ada).send(ada, 'hello')
    await using poller = startPoller(telegram)
    await telegram.waitFor(() => telegram.callsOf('getUpdates').length === 3)
    expect(textsOf(poller.intake)).toEqual(['hello'])
    const [first, ...others] = telegram.callsOf('getUpdates').map(({ params }) => params)
    expect(first?.['allowed_updates']).toContain('stopped_message_generation')
    for (const { allowed_updates: names } of others)
      expect(names).toEqual(['message', 'callback_query'])
    expect(poller.log.having('long polling')).toEqual([])
  })

  test('TG-01 TG-06 is requested in three kinds only', async () => {
    await using telegram = await createTelegram()
    await using _ = startPoller(telegram)
    await telegram.waitFor(() => telegram.isPolled())
    expect(telegram.callsOf('getUpdates')[0]?.params).toMatchObject({
      timeout: 30,
      limit: 100,
      allowed_updates: ['message', 'callback_query', 'stopped_message_generation'],
    })
  })
})

describe.concurrent('while the database is away', () => {
  test('INT-32 STORE-04 nothing is confirmed, known people are told once, in private, and everything is stored when it is back', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    const adas = telegram.privateChat(ada)
    const forum = telegram.group({ id: -100_7, title: 'Team', members: [bob], forum: true })
    const topic = forum.topic('Builds')
    adas.send(ada, 'hello')
    telegram.privateChat(bob).send(bob, 'hello')
    await using poller = startPoller(telegram, { intake })
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    intake.away = () => true
    intake.stored.length = 0
    adas.send(ada, 'one')
    adas.send(ada, 'two')
    forum.send(bob, `@${telegram.bot.username} three`, { topic })
    await adas.waitForText(
      'The database is unavailable; your message is kept and handled when it is back.',
    )
    adas.send(ada, 'four')
    const tries = intake.taken.length
    await telegram.waitFor(() => intake.taken.length >= tries + 2)
    expect(telegram.pendingUpdates()).toHaveLength(4)
    expect(intake.stored).toEqual([])
    intake.away = () => false
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(textsOf(intake, '42')).toEqual(['one', 'two', 'four'])
    expect(textsOf(intake, `${forum.id}/${topic}`)).toEqual(['three'])
    expect(adas.botMessages()).toHaveLength(1)
    // CHAT-01: others read there.
    expect(forum.botMessages()).toEqual([])
    expect(poller.log.having('not stored')).toHaveLength(1)
    expect(poller.log.having('recovered')).toHaveLength(1)
    expect(poller.log.lines.join()).not.toMatch(/hunter2|one|two/)
  })

  test('CHAT-01 INT-32 people whose updates were never taken are not told, nor strangers', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    const chats = [telegram.privateChat(ada), telegram.privateChat(bob)] as const
    const [adas, bobs] = chats
    // Who was let in once and is a stranger by now is a stranger.
    intake.knows = ({ act }) => act.kind === 'message' && act.text === 'I was in'
    bobs.send(bob, 'I was in')
    bobs.send(bob, 'let me in')
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    intake.knows = ({ place }) => place === '42'
    intake.away = () => true
    const { message_id } = bobs.send(bob, 'let me in now')
    adas.send(ada, 'the first')
    await telegram.waitFor(() => intake.taken.length >= 6)
    const tap = bobs.tapRaw(bob, message_id, 'AAAAAAAAAAAAAAAAAAAAAA', 'inaccessible')
    expect((await tap.answered).text).toBe('')
    for (const chat of chats) expect(chat.botMessages()).toEqual([])
    intake.away = () => false
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    intake.away = () => true
    adas.send(ada, 'the second')
    bobs.send(bob, 'and now')
    await adas.waitForText('The database is unavailable')
    const tries = intake.taken.length
    await telegram.waitFor(() => intake.taken.length >= tries + 4)
    expect(bobs.botMessages()).toEqual([])
  })

  test('INT-32 the delay between attempts grows, starting at 1 s', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    intake.away = () => true
    telegram.privateChat(ada).send(ada, 'hello')
    const at: number[] = []
    intake.committing = async () => void at.push(performance.now())
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => at.length === 4)
    const pauses = at.slice(1).map((time, index) => time - (at[index] ?? 0))
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(490 * 2 ** index)
  })

  test('INT-32 an update that cannot be stored does not keep others from being stored, nor are these stored twice', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    intake.away = ({ place }) => place === '42'
    telegram.privateChat(ada).send(ada, 'hello')
    telegram.privateChat(bob).send(bob, 'first')
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => textsOf(intake, '43').length === 1)
    telegram.privateChat(bob).send(bob, 'second')
    await telegram.waitFor(() => textsOf(intake, '43').length === 2)
    expect(telegram.pendingUpdates()).toHaveLength(3)
    intake.away = () => false
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(textsOf(intake, '42')).toEqual(['hello'])
    const ofBob = intake.stored.filter(({ place }) => place === '43')
    for (const { externalId } of ofBob) {
      expect(intake.taken.filter((id) => id === externalId)).toHaveLength(1)
    }
  })

  test('INT-32 the answer to a tap says that it is kept', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    const chat = telegram.privateChat(ada)
    const { message_id } = chat.send(ada, 'hello')
    await using _ = startPoller(telegram, { intake })
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    intake.away = () => true
    const tap = chat.tapRaw(ada, message_id, 'AAAAAAAAAAAAAAAAAAAAAA', 'inaccessible')
    expect(await tap.answered).toMatchObject({
      show_alert: true,
      text: expect.stringContaining('kept'),
    })
    intake.away = () => false
    await telegram.waitFor(() => intake.stored.length === 2)
  })
})

describe.concurrent('a tap', () => {
  const token = 'AAAAAAAAAAAAAAAAAAAAAA'

  async function tapped(answer: RecordingIntake['answer'], as?: 'absent' | 'inaccessible') {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    intake.answer = answer
    const chat = telegram.privateChat(ada)
    const { message_id } = chat.send(ada, 'hello')
    await using poller = startPoller(telegram, { intake })
    const tap = chat.tapRaw(ada, message_id, token, as)
    const said = await tap.answered
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(telegram.callsOf('answerCallbackQuery')).toHaveLength(1)
    return { said, intake, poller }
  }

  test('TG-02 is answered with the result, at most 200 characters of it', async () => {
    const text = `${'x'.repeat(198)}👍👍`
    const { said } = await tapped(async () => ({ text, alert: true }))
    expect(said).toMatchObject({ text: `${'x'.repeat(198)}…`, show_alert: true })
    const short = await tapped(async () => ({ text: 'Approved.', alert: false }))
    expect(short.said).toMatchObject({ text: 'Approved.', show_alert: false })
  })

  test('TG-02 without a result, or whose handling failed, ends its spinner', async () => {
    expect((await tapped(async () => undefined)).said.text).toBe('')
    expect((await tapped(() => Promise.reject(new Error('lost')))).said.text).toBe('')
  })

  test('TG-02 that cannot be taken is answered all the same', async () => {
    const { said, intake } = await tapped(async () => ({ text: 'never', alert: true }), 'absent')
    expect(said.text).toBe('')
    expect(textsOf(intake)).toEqual(['hello'])
  })

  test('TG-02 with slow handling ends its spinner after 5 s, once, and blocks nothing', async () => {
    await using telegram = await createTelegram()
    const intake = new RecordingIntake()
    const handled = Promise.withResolvers<{ text: string; alert: boolean }>()
    intake.answer = () => handled.promise
    const chat = telegram.privateChat(ada)
    const { message_id } = chat.send(ada, 'hello')
    await using _ = startPoller(telegram, { intake })
    const begin = performance.now()
    const tap = chat.tapRaw(ada, message_id, token)
    chat.send(ada, 'and')
    await telegram.waitFor(() => textsOf(intake).includes('and'))
    expect(tap.answer).toBeUndefined()
    expect((await tap.answered).text).toBe('')
    expect(performance.now() - begin).toBeGreaterThan(4_900)
    handled.resolve({ text: 'Approved.', alert: false })
    chat.send(ada, 'so')
    await telegram.waitFor(
      () => telegram.pendingUpdates().length === 0 && !textsOf(intake).includes('so') === false,
    )
    expect(telegram.callsOf('answerCallbackQuery')).toHaveLength(1)
  })

  test('INT-17 that is too old to be answered is logged and not a failure', async () => {
    await using telegram = await createTelegram({ callbackQueryMaxAgeMs: -1 })
    const chat = telegram.privateChat(ada)
    const { message_id } = chat.send(ada, 'hello')
    await using poller = startPoller(telegram)
    chat.tapRaw(ada, message_id, token)
    await telegram.waitFor(() => poller.log.having('query is too old').length === 1)
    expect(poller.log.having('query is too old')[0]).toMatch(/^debug/)
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(textsOf(poller.intake)).toEqual(['hello', token])
  })
})

describe.concurrent('a server that fails', () => {
  const faults: readonly Fault[] = [
    { kind: 'drop-before' },
    { kind: 'drop-after' },
    { kind: 'status', code: 502 },
    { kind: 'status', code: 500, description: 'Internal Server Error' },
    { kind: '429', retryAfter: 1 },
  ]

  test.each(faults)(
    'TG-01 with $kind $code is asked again, and the token is in no log',
    async (fault) => {
      await using telegram = await createTelegram()
      telegram.failNext('getUpdates', fault)
      await using poller = startPoller(telegram)
      telegram.privateChat(ada).send(ada, 'hello')
      await telegram.waitFor(
        () => telegram.pendingUpdates().length === 0 && poller.intake.stored.length > 0,
      )
      expect(textsOf(poller.intake)).toEqual(['hello'])
      expect(telegram.faultsLeft).toBe(0)
      expect(poller.log.having('will retry')).toHaveLength(1)
      expect(poller.log.lines.join()).not.toContain(telegram.token.split(':')[1])
      expect(telegram.tooEarly).toBe(0)
    },
  )

  test('TG-01 is not called before the time it names', async () => {
    await using telegram = await createTelegram()
    telegram.failNext('getUpdates', { kind: '429', retryAfter: 3 })
    await using _ = startPoller(telegram)
    await telegram.waitFor(() => telegram.callsOf('getUpdates').length === 2)
    const [refused, next] = telegram.callsOf('getUpdates')
    expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(2_990)
  })

  test('LOOP-04 at random loses nothing, takes nothing twice and keeps the order', async () => {
    const rates = faults.slice(0, 3).map((fault) => [fault, 0.12] as const)
    const fault = randomFaults({ seed: 7, rates, methods: ['getUpdates'] })
    await using telegram = await createTelegram({ fault })
    await using poller = startPoller(telegram)
    const sent: string[] = []
    for (let number = 1; number <= 8; number++) {
      for (const person of [ada, bob]) telegram.privateChat(person).send(person, String(number))
      sent.push(String(number))
      await telegram.waitFor(() => poller.intake.stored.length === number * 2)
    }
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    expect(poller.log.having('will retry').length).toBeGreaterThan(0)
    expect(textsOf(poller.intake, '42')).toEqual(sent)
    expect(textsOf(poller.intake, '43')).toEqual(sent)
  })

  test('TG-01 and does not answer is given up 15 s after the time for which it may hold a request', async () => {
    await using telegram = await createTelegram()
    telegram.failNext('getUpdates', { kind: 'hang' })
    telegram.privateChat(ada).send(ada, 'hello')
    await using poller = startPoller(telegram, { pollTimeoutS: 0 })
    await telegram.waitFor(() => poller.intake.stored.length === 1)
    expect(textsOf(poller.intake)).toEqual(['hello'])
  })

  test.each([
    ['brings updates without an id', [{ message: {} }]],
    ['brings again what was confirmed', [privateMessage(1, 'hello')]],
    ['answers no list', 'none'],
  ])('REL-02 and %s is not asked without a pause', async (_, updates) => {
    await using server = await createOddServer((method) =>
      method === 'getUpdates' ? updates : true,
    )
    const ending = new AbortController()
    const log = new MemoryLog()
    const intake = new RecordingIntake()
    const ended = poll({
      api: server.api,
      intake,
      messages: english,
      me,
      log,
      signal: ending.signal,
    })
    await vi.waitFor(() => expect(server.calls.length).toBeGreaterThan(2), { timeout: 20_000 })
    const soFar = server.calls.length
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(server.calls.length - soFar).toBeLessThan(3)
    ending.abort()
    await ended
    expect(log.lines.join()).not.toContain(oddToken)
  })
})

describe.concurrent('two pollers', () => {
  test('TG-01 of one bot receive every update once in total; each reports once why it waits', async () => {
    await using telegram = await createTelegram({ conflictPauseMs: 500 })
    const intake = new RecordingIntake()
    await using one = startPoller(telegram, { intake })
    await telegram.waitFor(() => telegram.isPolled())
    await using two = startPoller(telegram, { intake })
    const lines = () => [...one.log.having('409'), ...two.log.having('409')]
    await telegram.waitFor(() => lines().length > 0)
    for (let number = 1; number <= 4; number++) {
      telegram.privateChat(ada).send(ada, String(number))
      await telegram.waitFor(() => intake.stored.length === number)
      await telegram.waitFor(() => telegram.isPolled())
    }
    expect(textsOf(intake)).toEqual(['1', '2', '3', '4'])
    expect(lines()[0]).toMatch(/^warn .*other getUpdates request/s)
    for (const poller of [one, two]) expect(poller.log.having('409').length).toBeLessThan(2)
  })

  test('TG-01 a webhook in the way is deleted', async () => {
    await using telegram = await createTelegram()
    await using poller = startPoller(telegram)
    await telegram.waitFor(() => telegram.isPolled())
    const body = JSON.stringify({ url: 'https://bot.example/hook' })
    const headers = { 'content-type': 'application/json' }
    await fetch(`${telegram.url}/bot${telegram.token}/setWebhook`, {
      method: 'POST',
      headers,
      body,
    })
    await telegram.waitFor(() => telegram.webhook() === undefined && telegram.isPolled())
    telegram.privateChat(ada).send(ada, 'hello')
    await telegram.waitFor(() => textsOf(poller.intake).includes('hello'))
  })
})

describe.concurrent('a poller', () => {
  test('TG-01 reports once that it receives, after its first request, and each failure', async () => {
    await using telegram = await createTelegram()
    telegram.failNext('getUpdates', { kind: 'drop-before' }, undefined, {
      kind: '429',
      retryAfter: 1,
    })
    const ending = new AbortController()
    const told: string[] = []
    const ended = poll({
      messages: english,
      api: new Api(telegram.token, { apiRoot: telegram.url }),
      intake: new RecordingIntake(),
      me,
      log: new MemoryLog(),
      signal: ending.signal,
      pollTimeoutS: 1,
      onReceiving: () => told.push('receiving'),
      onFailure: ({ kind }) => told.push(kind),
    })
    expect(told).toEqual([])
    await telegram.waitFor(() => telegram.callsOf('getUpdates').length >= 5)
    ending.abort()
    await ended
    expect(told).toEqual(['receiving', 'unreachable', 'busy'])
  })

  test('TG-01 ends at once even if its request is held', async () => {
    await using telegram = await createTelegram()
    await using poller = startPoller(telegram, { pollTimeoutS: 50 })
    await telegram.waitFor(() => telegram.isPolled())
    poller.abort()
    await poller.ended
    await telegram.waitFor(() => !telegram.isPolled())
    expect(telegram.callsOf('getUpdates')).toHaveLength(1)
    expect(poller.log.lines).toEqual([])
  })

  test('TG-01 ends at once while it waits to retry, and before it started', async () => {
    await using telegram = await createTelegram()
    telegram.fault = () => ({ kind: '429', retryAfter: 600 })
    await using poller = startPoller(telegram)
    await telegram.waitFor(() => poller.log.having('will retry').length > 0)
    poller.abort()
    await poller.ended
    const calls = telegram.callsOf('getUpdates').length
    const signal = AbortSignal.abort()
    const api = (await createOddServer(() => [])).api
    await poll({ api, intake: poller.intake, messages: english, me, log: poller.log, signal })
    expect(telegram.callsOf('getUpdates')).toHaveLength(calls)
  })

  test('TG-01 whose token is refused reports it, without the token', async () => {
    await using telegram = await createTelegram()
    const token = '123456789:AAE-some_other_token-0123456789abcdef'
    await using poller = startPoller(telegram, { token })
    const error = await poller.ended.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TokenRefused)
    const shown = inspect(error, { depth: 10, showHidden: true }) + poller.log.lines.join()
    expect(shown).not.toContain('some_other_token')
  })

  test('TG-01 whose token is refused later ends too', async () => {
    await using telegram = await createTelegram()
    telegram.failNext('getUpdates', { kind: 'status', code: 401, description: 'Unauthorized' })
    await using poller = startPoller(telegram)
    await expect(poller.ended).rejects.toBeInstanceOf(TokenRefused)
  })

  test('TG-01 continues if deleting the webhook fails', async () => {
    await using telegram = await createTelegram()
    telegram.failNext('deleteWebhook', { kind: 'drop-before' })
    await using poller = startPoller(telegram)
    telegram.privateChat(ada).send(ada, 'hello')
    await telegram.waitFor(() => poller.intake.stored.length === 1)
    expect(poller.log.lines.join()).not.toContain(telegram.token.split(':')[1])
  })
})
