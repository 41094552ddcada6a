import { inspect } from 'node:util'
import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/adapters/chat/telegram/connect.ts'
import { TokenRefused } from '../../../../src/adapters/chat/telegram/incoming/api-failure.ts'
import { createTelegram, type TelegramStandIn } from '../../../support/telegram/telegram.ts'
import { MemoryLog } from './incoming/memory-log.ts'
import { createOddServer } from './incoming/odd-server.ts'

const forever = new AbortController().signal

function apiOf({ url, token }: Pick<TelegramStandIn, 'url' | 'token'>): Api {
  return new Api(token, { apiRoot: url })
}

test("TG-01 the bot's identity is requested until there is an answer", async () => {
  await using telegram = await createTelegram({
    bots: [
      { token: '700:AAE-a_token_that_is_long_enough', username: 'our_bot', firstName: 'Ours' },
    ],
  })
  telegram.failNext('getMe', { kind: 'drop-before' }, { kind: 'status', code: 502 })
  const log = new MemoryLog()
  expect(await connect(apiOf(telegram), { log, signal: forever })).toEqual({
    id: 700,
    username: 'our_bot',
    name: 'Ours',
    canJoinGroups: true,
    readsWholeGroups: true,
  })
  expect(telegram.callsOf('getMe')).toHaveLength(3)
  expect(log.having('will retry').length).toBeGreaterThan(0)
  expect(log.lines.join()).not.toContain('AAE-a_token')
})

test.each([
  ['401', '123456789:AAE-some_other_token-0123456789'],
  ['404', 'AAE-some_other_token-0123456789'],
])('TG-01 a token refused with %s is reported as such, and not shown', async (_, token) => {
  await using telegram = await createTelegram()
  const log = new MemoryLog()
  const api = apiOf({ url: telegram.url, token })
  const error = await connect(api, { log, signal: forever }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(TokenRefused)
  expect(String(error)).toContain('refused the bot token')
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('some_other_token')
  expect(log.lines.join()).not.toContain('some_other_token')
})

test('TG-01 the signal ends the wait, during a request and between two', async () => {
  await using telegram = await createTelegram()
  const faults = [{ kind: 'hang' }, { kind: '429', retryAfter: 600 }] as const
  for (const [index, fault] of faults.entries()) {
    telegram.failNext('getMe', fault)
    const ending = new AbortController()
    const connected = connect(apiOf(telegram), { log: new MemoryLog(), signal: ending.signal })
    await telegram.waitFor(() => telegram.callsOf('getMe').length === index + 1)
    ending.abort()
    await expect(connected).rejects.toMatchObject({ name: 'AbortError' })
  }
})

test('REL-02 an answer without a bot is an error that says so', async () => {
  for (const me of [true, {}, { id: 1, is_bot: false, username: 'ada', first_name: 'Ada' }]) {
    await using server = await createOddServer(() => me)
    const connected = connect(server.api, { log: new MemoryLog(), signal: forever })
    await expect(connected).rejects.toThrow('does not name the bot')
  }
})
