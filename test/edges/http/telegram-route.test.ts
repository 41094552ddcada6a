import { expect, test } from 'vitest'
import { telegramRoute } from '../../../src/edges/http/telegram-route.ts'

const url = 'http://localhost/telegram/webhook'
const headers = { 'X-Telegram-Bot-Api-Secret-Token': 'secret' }

test('TG-01 DECISIONS-22 the webhook hands over the secret and the JSON it got, and answers with the status', async () => {
  const given: unknown[] = []
  const route = telegramRoute(async (secret, body) => {
    given.push(secret, body)
    return { status: 503 }
  })
  const answer = await route.request(url, { method: 'POST', headers, body: '{"update_id":1}' })
  expect([answer.status, await answer.text()]).toEqual([503, ''])
  expect(given).toEqual(['secret', { update_id: 1 }])
})

test.each(['', 'x', '{', '{"a":1}x', '\ufeff{}', 'null'])(
  'REL-02 a body that is no JSON is handed over as none: %j',
  async (body) => {
    const bodies: unknown[] = []
    const route = telegramRoute(async (secret, parsed) => {
      expect(secret).toBeUndefined()
      bodies.push(parsed)
      return { status: 400 }
    })
    expect((await route.request(url, { method: 'POST', body })).status).toBe(400)
    expect(bodies).toEqual([
      ['null', '\ufeff{}'].includes(body) ? JSON.parse(body.replace('\ufeff', '')) : undefined,
    ])
  },
)

test('DECISIONS-22 the webhook is a POST', async () => {
  const route = telegramRoute(() => Promise.reject(new Error('not to be called')))
  expect((await route.request(url)).status).toBe(404)
})
