import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/config/secrets.ts'
import { serveTelegram } from '../../../src/gateway/serve-telegram.ts'
import { createTelegramWebhook } from '../../../src/gateway/telegram-webhook.ts'
import { silentLog } from '../../../src/util/log.ts'
import { freePort } from '../../support/free-port.ts'
import { call, say } from '../../support/scripted-model.ts'
import { createTelegramFlow } from '../../support/telegram-flow.ts'
import { createScenes } from './scenes.ts'
import { cardOf, copiesOf, openStage, untilReads, wordsOf } from './stage.ts'

test('TG-01 LOOP-04 by webhook messages and taps arrive, once, and a wrong secret is refused', async () => {
  const listen = `127.0.0.1:${await freePort()}`
  const url = `http://${listen}/telegram/webhook`
  await using stage = await openStage({
    serveWith: (config) => ({
      ...config,
      http: { ...config.http, listen },
      telegram: { ...config.telegram, webhookUrl: url },
    }),
  })
  const { flow, scenes } = stage
  const { telegram } = flow
  const scene = scenes.on('by webhook', call('bash', { command: 'printf x' }), say('Came.'))
  await telegram.waitFor(() => telegram.webhook(), { what: 'the webhook' })
  expect(telegram.webhook()).toMatchObject({ url })
  expect(telegram.webhook()?.secretToken).toMatch(/^[\w-]{32,}$/)
  const ada = stage.guest()
  ada.say('by webhook')
  const [first] = telegram.pendingUpdates()
  const card = await cardOf(ada.chat)
  expect(await ada.tap(card, 'Approve').answered).toMatchObject({ text: 'Approved.' })
  await ada.chat.waitForText('Came.')
  if (first !== undefined) telegram.repeatUpdate(first)
  const forged = {
    update_id: 999_999,
    message: {
      message_id: 99,
      date: 1,
      chat: { id: ada.id, type: 'private', first_name: 'Ada' },
      from: { id: ada.user.id, is_bot: false, first_name: 'Ada' },
      text: 'by webhook',
    },
  }
  const post = (headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(forged),
    })
  for (const secret of [undefined, '', 'wrong', `${telegram.webhook()?.secretToken}x`]) {
    const headers: Record<string, string> =
      secret === undefined ? {} : { 'x-telegram-bot-api-secret-token': secret }
    expect((await post(headers)).status).toBe(401)
  }
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  await flow.settled(ada.id)
  expect(wordsOf(ada.chat)).toEqual(['Came.'])
  expect(scene.requests).toHaveLength(2)
  expect(telegram.callsOf('getUpdates')).toEqual([])
})

test('TG-01 of two gateways one polls, and the other takes over when it ends', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  const { telegram, product, config } = flow
  scenes.on('who hears', say('Heard once.'))
  scenes.on('and now', say('Heard by the other.'))
  const token = new Secret(telegram.token)
  await using second = await serveTelegram({
    gateway: product,
    telegramWebhook: createTelegramWebhook(),
    config,
    token,
    log: silentLog,
  })
  expect(second).toBeDefined()
  const ada = stage.guest()
  ada.say('who hears')
  await ada.chat.waitForText('Heard once.')
  await telegram.waitFor(() => telegram.callsOf('setMyCommands').length === 2)
  expect(
    telegram.callsOf('getUpdates').filter(({ outcome }) => outcome.kind === 'refused'),
  ).toEqual([])
  await flow.served[Symbol.asyncDispose]()
  ada.say('and now')
  await ada.chat.waitForText('Heard by the other.')
  await flow.settled(ada.id)
  expect(wordsOf(ada.chat)).toEqual(['Heard once.', 'Heard by the other.'])
  expect(
    telegram.callsOf('getUpdates').filter(({ outcome }) => outcome.kind === 'refused'),
  ).toEqual([])
})

test('TG-01 LOOP-04 an update is confirmed only when its row is committed, and one that comes again is one', async () => {
  await using stage = await openStage()
  const { flow, scenes } = stage
  const { telegram } = flow
  const scene = scenes.on('keep me', say('Kept.'))
  const ada = stage.guest()
  scenes.on('hello', say('Hello.'))
  ada.say('hello')
  await ada.chat.waitForText('Hello.')
  await telegram.waitFor(() => telegram.isPolled())
  await flow.db.transaction().execute(async (held) => {
    // Whoever wants to store a row waits for us.
    await sql`lock table inbound_event in exclusive mode`.execute(held)
    // A poll that brings nothing is followed by the next: it is counted from here on.
    await telegram.waitFor(() => telegram.isPolled())
    const polls = telegram.callsOf('getUpdates').length
    ada.say('keep me')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(telegram.pendingUpdates()).toHaveLength(1)
    expect(telegram.callsOf('getUpdates')).toHaveLength(polls)
  })
  const [update] = telegram.pendingUpdates()
  await ada.chat.waitForText('Kept.')
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  if (update !== undefined) telegram.repeatUpdate(update)
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  await flow.settled(ada.id)
  expect(scene.requests).toHaveLength(1)
})

test('APPR-01 TG-01 CHAT-06 a restart while a card waits loses nothing: a tap and a message made meanwhile count', async () => {
  const model = createScenes()
  await using first = await createTelegramFlow({ model })
  const { telegram } = first
  const scene = model.on('survive', call('bash', { command: 'printf x' }), say('Survived.'))
  const ada = telegram.addUser({ id: 41, first_name: 'Ada' })
  const chat = telegram.privateChat(ada)
  chat.send(ada, 'survive')
  const card = await cardOf(chat)
  await first.settled(chat.id)
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  chat.send(ada, 'while you were away')
  chat.tap(ada, card.id, 'Approve')
  await using second = await createTelegramFlow({ model, over: first, standIn: telegram })
  await chat.waitForText('Survived.')
  await untilReads(chat, card, /→ exit 0/)
  await second.settled(chat.id)
  expect(scene.lastHeard()).toContain('while you were away')
  expect(wordsOf(chat).filter((text) => text === 'Survived.')).toHaveLength(1)
})

test('THREAT-8 CHAT-01 whoever is let in no more may not answer, not even their own old card; an approver can', async () => {
  const model = createScenes()
  await using first = await createTelegramFlow({ model })
  const { telegram } = first
  model.on('before I go', call('bash', { command: 'printf x' }), say('Done without you.'))
  const ada = telegram.addUser({ id: 41, first_name: 'Ada' })
  const eve = telegram.addUser({ id: 44, first_name: 'Eve' })
  const chat = telegram.group({ id: -100_951, title: 'Ops', members: [ada, eve] })
  chat.send(ada, `@${telegram.bot.username} before I go`)
  const card = await cardOf(chat)
  await first.settled(chat.id)
  await first.served[Symbol.asyncDispose]()
  await first.product[Symbol.asyncDispose]()
  const settings = { COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '42' }
  await using second = await createTelegramFlow({ model, over: first, standIn: telegram, settings })
  expect(await chat.tap(ada, card.id, 'Approve').answered).toMatchObject({
    text: 'You may not answer this.',
    show_alert: true,
  })
  chat.send(ada, `@${telegram.bot.username} before I go`)
  expect(await chat.tap(eve, card.id, 'Approve').answered).toMatchObject({ text: 'Approved.' })
  await chat.waitForText('Done without you.')
  await second.settled(chat.id)
  expect(copiesOf(chat, 2)).toEqual([])
})
