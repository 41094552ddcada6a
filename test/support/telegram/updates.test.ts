import { setTimeout as delay } from 'node:timers/promises'
import { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { forGrammy, setUp } from './set-up.ts'

const textsOf = (updates: readonly Update[]) => updates.map(({ message }) => message?.text)

test('a long poll waits while there is nothing, and wakes at once when something comes', async () => {
  await using at = await setUp()
  const { telegram, api, ada, chat } = at
  let woken = false
  const polling = api.getUpdates({ timeout: 50 }).then((updates) => {
    woken = true
    return updates
  })
  await telegram.waitFor(() => telegram.isPolled())
  await delay(200)
  expect(woken).toBe(false)
  const started = performance.now()
  chat.send(ada, 'hello')
  expect(textsOf(await polling)).toEqual(['hello'])
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('a long poll ends empty after its time-out', async () => {
  await using at = await setUp()
  const started = performance.now()
  expect(await at.api.getUpdates({ timeout: 1 })).toEqual([])
  expect(performance.now() - started).toBeGreaterThan(900)
})

test('what is not confirmed comes again, and an offset confirms all below it', async () => {
  await using at = await setUp()
  const { api, ada, chat, telegram } = at
  for (const text of ['one', 'two', 'three']) chat.send(ada, text)
  expect(textsOf(await api.getUpdates({ limit: 2 }))).toEqual(['one', 'two'])
  const again = await api.getUpdates()
  expect(textsOf(again)).toEqual(['one', 'two', 'three'])
  expect(again.map(({ update_id }) => update_id - (again[0]?.update_id ?? 0))).toEqual([0, 1, 2])
  const offset = (again[1]?.update_id ?? 0) + 1
  expect(textsOf(await api.getUpdates({ offset }))).toEqual(['three'])
  expect(textsOf(await api.getUpdates({ offset: 0 }))).toEqual(['three'])
  expect(telegram.pendingUpdates()).toHaveLength(1)
})

test('a negative offset forgets all but the last', async () => {
  await using at = await setUp()
  for (const text of ['one', 'two', 'three']) at.chat.send(at.ada, text)
  expect(textsOf(await at.api.getUpdates({ offset: -1 }))).toEqual(['three'])
  expect(textsOf(await at.api.getUpdates())).toEqual(['three'])
})

test('the wanted kinds are remembered until they are named anew', async () => {
  await using at = await setUp()
  const { api, ada, chat, telegram } = at
  await api.getUpdates({ allowed_updates: ['callback_query'] })
  chat.send(ada, 'unheard')
  expect(await api.getUpdates()).toEqual([])
  await api.getUpdates({ allowed_updates: [] })
  chat.send(ada, 'heard')
  telegram.pushUpdate('chat_member', {})
  expect(textsOf(await api.getUpdates())).toEqual(['heard'])
})

test('who went away while waiting takes nothing along', async () => {
  await using at = await setUp()
  const { api, ada, chat, telegram } = at
  const leaving = new AbortController()
  const polling = api.getUpdates({ timeout: 50 }, forGrammy(leaving.signal))
  await telegram.waitFor(() => telegram.isPolled())
  leaving.abort()
  await expect(polling).rejects.toThrow()
  await telegram.waitFor(() => !telegram.isPolled())
  expect(telegram.calls.at(-1)?.outcome).toEqual({ kind: 'gone' })
  chat.send(ada, 'hello')
  expect(textsOf(await api.getUpdates({ timeout: 50 }))).toEqual(['hello'])
})

test('of two that poll the first gets a conflict, and the second the updates', async () => {
  await using at = await setUp({ conflictPauseMs: 300 })
  const { telegram, ada, chat, api } = at
  const other = new Api(telegram.token, { apiRoot: telegram.url })
  const conflict = {
    error_code: 409,
    description:
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  }
  const polls = () => telegram.callsOf('getUpdates').length
  const first = api.getUpdates({ timeout: 50 })
  await telegram.waitFor(() => telegram.isPolled())
  const second = other.getUpdates({ timeout: 50 })
  await expect(first).rejects.toMatchObject(conflict)
  const ended = performance.now()
  const third = api.getUpdates({ timeout: 50 })
  await telegram.waitFor(() => polls() === 3)
  // The second conflict in a short time is told late.
  await expect(second).rejects.toMatchObject(conflict)
  expect(performance.now() - ended).toBeGreaterThan(250)
  chat.send(ada, 'hello')
  expect(textsOf(await third)).toEqual(['hello'])
})

test('a bot with a webhook cannot poll, and one that polls is stopped by it', async () => {
  await using at = await setUp()
  const { api, telegram } = at
  const polling = api.getUpdates({ timeout: 50 })
  await telegram.waitFor(() => telegram.isPolled())
  await api.setWebhook('https://bot.invalid/hook', { secret_token: 'A-Za_z0' })
  await expect(polling).rejects.toMatchObject({
    error_code: 409,
    description: 'Conflict: terminated by setWebhook request',
  })
  await expect(api.getUpdates()).rejects.toMatchObject({
    error_code: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  })
  await expect(api.setWebhook('https://other.invalid/hook')).rejects.toMatchObject({
    error_code: 429,
    parameters: { retry_after: 1 },
  })
  expect(await api.getWebhookInfo()).toMatchObject({ url: 'https://bot.invalid/hook' })
  await api.deleteWebhook()
  expect(await api.getUpdates()).toEqual([])
  expect(await api.getWebhookInfo()).toMatchObject({ url: '', pending_update_count: 0 })
})

test('two bots have their own queues and chats', async () => {
  await using at = await setUp({
    bots: [
      { token: '1:one', username: 'one_bot' },
      { token: '2:two', username: 'two_bot' },
    ],
  })
  const { telegram, ada, chat, api } = at
  const two = new Api('2:two', { apiRoot: telegram.url })
  chat.send(ada, 'to one')
  await expect(two.sendMessage(42, 'x')).rejects.toMatchObject({ error_code: 403 })
  telegram.privateChat(ada, '2:two').send(ada, 'to two')
  expect(textsOf(await api.getUpdates())).toEqual(['to one'])
  expect(textsOf(await two.getUpdates())).toEqual(['to two'])
  expect([(await api.getMe()).username, (await two.getMe()).username]).toEqual([
    'one_bot',
    'two_bot',
  ])
  const group = telegram.group({ id: -1007, title: 'G', members: [ada] })
  group.send(ada, 'to both')
  expect(textsOf(await api.getUpdates()).at(-1)).toBe('to both')
  expect(textsOf(await two.getUpdates()).at(-1)).toBe('to both')
  telegram.group({ id: -1009, title: 'H', members: [ada], tokens: ['1:one'] })
  await api.sendMessage(-1009, 'x')
  await expect(two.sendMessage(-1009, 'x')).rejects.toMatchObject({
    description: 'Bad Request: chat not found',
  })
})

test('grammY itself polls it, confirms what it handled, and hears it all', async () => {
  const { Bot } = await import('grammy')
  await using at = await setUp()
  const { telegram, ada, chat } = at
  const bot = new Bot(telegram.token, { client: { apiRoot: telegram.url } })
  bot.on('message:text', (context) => context.reply(`heard ${context.msg.text}`))
  const running = bot.start()
  for (const text of ['one', 'two', 'three']) chat.send(ada, text)
  await chat.waitForText('heard three')
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  await bot.stop()
  await running
  expect(chat.botMessages().map(({ text }) => text)).toEqual([
    'heard one',
    'heard two',
    'heard three',
  ])
})

test('an abort ends a wait, and a time-out tells what was waited for', async () => {
  await using at = await setUp()
  const ending = new AbortController()
  const waiting = at.chat.waitForText('never', { signal: ending.signal })
  ending.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  at.chat.send(at.ada, 'something else')
  await expect(at.chat.waitForText('never', { timeoutMs: 10 })).rejects.toThrow(
    /not within 10 ms: a message with "never"; the chat shows\n {2}1 Ada: something else/,
  )
})
