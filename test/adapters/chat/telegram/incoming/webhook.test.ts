import { Api } from 'grammy'
import { describe, expect, test } from 'vitest'
import { TokenRefused } from '../../../../../src/adapters/chat/telegram/incoming/api-failure.ts'
import {
  createWebhook,
  webhookSecret,
} from '../../../../../src/adapters/chat/telegram/incoming/webhook.ts'
import { createHttpServer } from '../../../../../src/adapters/http/create-http-server.ts'
import { telegramRoute } from '../../../../../src/adapters/http/telegram-route.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { createTelegram, type TelegramStandIn } from '../../../../support/telegram/telegram.ts'
import { MemoryLog } from './memory-log.ts'
import { ada, bob } from './poller.ts'
import { RecordingIntake } from './recording-intake.ts'
import { me, privateMessage, tap } from './updates.ts'

const forever = new AbortController().signal

function setUp(telegram: TelegramStandIn, url = 'https://bot.example/telegram/webhook') {
  const intake = new RecordingIntake()
  const log = new MemoryLog()
  const secret = webhookSecret(telegram.token)
  const api = new Api(telegram.token, { apiRoot: telegram.url })
  const webhook = createWebhook({ api, intake, messages: english, me, log, url, secret })
  return { intake, log, secret, webhook }
}

describe('an update by webhook', () => {
  test('TG-01 LOOP-04 is confirmed when it is stored, and only with the secret', async () => {
    await using telegram = await createTelegram()
    const { intake, secret, webhook } = setUp(telegram)
    const update = privateMessage(1, 'hello')
    expect(await webhook.handle(secret, async () => update)).toEqual({ status: 200 })
    expect(await webhook.handle(secret, async () => update)).toEqual({ status: 200 })
    expect(intake.ids()).toEqual([`${me.id}:1`])
    for (const wrong of [undefined, '', 'x', `${secret}x`, secret.slice(1), secret.toUpperCase()]) {
      expect(await webhook.handle(wrong, async () => privateMessage(2, 'forged'))).toEqual({
        status: 401,
      })
      expect(await webhook.handle(wrong, async () => undefined)).toEqual({ status: 401 })
    }
    expect(intake.taken).toEqual([`${me.id}:1`, `${me.id}:1`])
  })

  test('TG-01 is not confirmed before its row is committed', async () => {
    await using telegram = await createTelegram()
    const { intake, secret, webhook } = setUp(telegram)
    const commit = Promise.withResolvers<void>()
    intake.committing = () => commit.promise
    let status: number | undefined
    const handled = webhook
      .handle(secret, async () => privateMessage(1, 'hello'))
      .then((answer) => {
        status = answer.status
      })
    await expect.poll(() => intake.taken.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(status).toBeUndefined()
    commit.resolve()
    await handled
    expect(status).toBe(200)
  })

  test('INT-32 STORE-04 that cannot be stored is delivered again, and its author is told once', async () => {
    await using telegram = await createTelegram()
    const { intake, log, secret, webhook } = setUp(telegram)
    const chat = telegram.privateChat(ada)
    await webhook.handle(secret, async () => privateMessage(0, 'hello'))
    intake.away = () => true
    expect(await webhook.handle(secret, async () => privateMessage(1, 'one'))).toEqual({
      status: 503,
    })
    await chat.waitForText('your message is kept and handled when it is back.')
    expect(await webhook.handle(secret, async () => privateMessage(1, 'one'))).toEqual({
      status: 503,
    })
    expect(await webhook.handle(secret, async () => privateMessage(2, 'two'))).toEqual({
      status: 503,
    })
    intake.away = () => false
    expect(await webhook.handle(secret, async () => privateMessage(1, 'one'))).toEqual({
      status: 200,
    })
    expect(intake.ids()).toEqual([`${me.id}:0`, `${me.id}:1`])
    expect(chat.botMessages()).toHaveLength(1)
    expect(log.lines.join()).not.toMatch(/hunter2|one/)
  })

  test('REL-02 that is malformed is dropped, and text that is not JSON is refused', async () => {
    await using telegram = await createTelegram()
    const { intake, log, secret, webhook } = setUp(telegram)
    for (const body of [null, [], 'text', { update_id: 1, message: 'a secret' }]) {
      expect(await webhook.handle(secret, async () => body)).toEqual({ status: 200 })
    }
    expect(log.having('malformed')).toHaveLength(4)
    expect(log.lines.join()).not.toContain('a secret')
    expect(await webhook.handle(secret, async () => undefined)).toEqual({ status: 400 })
    expect(intake.taken).toEqual([])
  })

  test('TG-02 that is a tap is answered', async () => {
    await using telegram = await createTelegram()
    const { intake, secret, webhook } = setUp(telegram)
    intake.answer = async () => ({ text: 'Approved.', alert: false })
    expect(await webhook.handle(secret, async () => tap(1))).toEqual({ status: 200 })
    await telegram.waitFor(() => telegram.callsOf('answerCallbackQuery').length === 1)
    expect(telegram.callsOf('answerCallbackQuery')[0]?.params).toMatchObject({
      callback_query_id: 'callback-1',
      text: 'Approved.',
    })
  })
})

describe('a webhook', () => {
  test('TG-01 DECISION-22 serves a chat over HTTP, in order, even if storing fails at times', async () => {
    await using telegram = await createTelegram()
    await using proxy = await createHttpServer({
      listen: '127.0.0.1:0',
      log: new MemoryLog(),
      routes: [telegramRoute((secret, body) => served.webhook.handle(secret, body))],
    })
    const served = setUp(telegram, `http://127.0.0.1:${proxy.port}/telegram/webhook`)
    await served.webhook.register(forever)
    let failures = 2
    served.intake.away = () => failures-- > 0
    for (const text of ['one', 'two', 'three']) telegram.privateChat(ada).send(ada, text)
    telegram.privateChat(bob).send(bob, 'hello')
    await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
    const texts = served.intake.stored.map(({ act }) => act.kind === 'message' && act.text)
    expect(texts).toEqual(['one', 'two', 'three', 'hello'])
  })

  test('TG-06 is registered without a kind of update that the server does not know', async () => {
    await using telegram = await createTelegram({ lacks: ['can_stop'] })
    const { log, webhook } = setUp(telegram)
    const description = 'Bad Request: unknown update type'
    telegram.failNext('setWebhook', { kind: 'status', code: 400, description })
    await webhook.register(forever)
    const names = telegram.callsOf('setWebhook').map(({ params }) => params['allowed_updates'])
    expect(names).toEqual([
      ['message', 'callback_query', 'stopped_message_generation'],
      ['message', 'callback_query'],
    ])
    expect(log.having('will retry')).toEqual([])
  })

  test('TG-01 is registered with its secret and the kinds it takes, despite failures', async () => {
    await using telegram = await createTelegram()
    const { log, secret, webhook } = setUp(telegram)
    telegram.failNext(
      'setWebhook',
      { kind: 'drop-before' },
      {
        kind: 'status',
        code: 400,
        description: 'Bad Request: bad webhook: Failed to resolve host',
      },
    )
    await webhook.register(forever)
    expect(telegram.webhook()).toMatchObject({
      url: 'https://bot.example/telegram/webhook',
      secretToken: secret,
    })
    expect(telegram.callsOf('setWebhook').at(-1)?.params).toMatchObject({
      allowed_updates: ['message', 'callback_query', 'stopped_message_generation'],
    })
    expect(log.having('will retry')).toHaveLength(2)
    expect(log.lines.join()).not.toContain(telegram.token.split(':')[1])
    expect(log.lines.join()).not.toContain(secret)
  })

  test('TG-01 registration stops when the token is refused or the signal aborts', async () => {
    await using telegram = await createTelegram()
    const { webhook } = setUp(telegram)
    telegram.failNext('setWebhook', { kind: 'status', code: 401, description: 'Unauthorized' })
    await expect(webhook.register(forever)).rejects.toBeInstanceOf(TokenRefused)
    telegram.failNext('setWebhook', { kind: 'hang' })
    const ending = new AbortController()
    const registered = webhook.register(ending.signal)
    await telegram.waitFor(() => telegram.callsOf('setWebhook').length === 2)
    ending.abort()
    await expect(registered).rejects.toMatchObject({ name: 'AbortError' })
  })

  test('TG-01 has a secret derived from the token, in a form that Telegram accepts', () => {
    const secret = webhookSecret('1:a')
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(webhookSecret('1:a')).toBe(secret)
    expect(webhookSecret('1:b')).not.toBe(secret)
  })
})
