import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { readWebhookInfo } from '../../../../../src/adapters/chat/telegram/incoming/webhook-info.ts'
import { createTelegram } from '../../../../support/telegram/telegram.ts'
import { createOddServer } from './odd-server.ts'

const forever = new AbortController().signal

async function read(result: unknown) {
  await using server = await createOddServer(() => result)
  return await readWebhookInfo(server.api, forever)
}

test('CLI-01 the host of a webhook is reported, and nothing if none is set', async () => {
  await using telegram = await createTelegram()
  const api = new Api(telegram.token, { apiRoot: telegram.url })
  expect(await readWebhookInfo(api, forever)).toEqual({ host: undefined, lastError: undefined })
  await api.setWebhook('https://bot.example/hook/its-secret')
  expect(await readWebhookInfo(api, forever)).toEqual({ host: 'bot.example', lastError: undefined })
})

test('THREAT-14 the last delivery error is one line of at most 200 characters without tokens', async () => {
  const said = `Wrong\u001b[31m\n answer to /bot123:AAE-some_other_token-0123456789abcdef ${'x'.repeat(300)}`
  const { lastError = '' } = (await read({ url: 'x', last_error_message: said })) ?? {}
  expect(lastError).toMatch(/^Wrong answer to .bot… x{50,}$/)
  expect(lastError.length).toBeLessThanOrEqual(200)
})

test.each([[true], [{}], [{ url: 7 }], [null]])(
  'REL-02 %j in answer says nothing of a webhook',
  async (result) => {
    expect(await read(result)).toBeUndefined()
  },
)
