import { expect, test } from 'vitest'
import { createHttpServer } from '../../../src/adapters/http/create-http-server.ts'
import { readBody, telegramRoute } from '../../../src/adapters/http/telegram-route.ts'
import { silentLog } from '../../../src/util/log.ts'

const url = 'http://localhost/telegram/webhook'
const headers = { 'X-Telegram-Bot-Api-Secret-Token': 'secret' }

test('TG-01 DECISION-22 the webhook hands over the secret and the JSON it got, and answers with the status', async () => {
  const given: unknown[] = []
  const route = telegramRoute(async (secret, read) => {
    given.push(secret, await read())
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
    const route = telegramRoute(async (secret, read) => {
      expect(secret).toBeUndefined()
      bodies.push(await read())
      return { status: 400 }
    })
    expect((await route.request(url, { method: 'POST', body })).status).toBe(400)
    expect(bodies).toEqual([
      ['null', '\ufeff{}'].includes(body) ? JSON.parse(body.replace('\ufeff', '')) : undefined,
    ])
  },
)

test('DECISION-22 the webhook is a POST', async () => {
  const route = telegramRoute(() => Promise.reject(new Error('not to be called')))
  expect((await route.request(url)).status).toBe(404)
})

/** Sends a body whose length is not told beforehand, and answers how far it got. */
async function postInChunks(port: number, times: number, secret: string) {
  let sent = 0
  const body = new ReadableStream({
    pull: (controller) => {
      sent += 1
      controller.enqueue(new TextEncoder().encode(' '.repeat(1024)))
      if (sent === times) controller.close()
    },
  })
  const answer = await fetch(`http://127.0.0.1:${port}/telegram/webhook`, {
    method: 'POST',
    headers: { 'X-Telegram-Bot-Api-Secret-Token': secret },
    body,
    duplex: 'half',
  })
  return { status: answer.status, sent }
}

test('REL-02 nothing is read of who does not know the secret, and at most 1 MB of who does', async () => {
  const read: unknown[] = []
  const route = telegramRoute(async (secret, readJson) => {
    if (secret !== 'right') return { status: 401 }
    read.push(await readJson())
    return { status: 400 }
  })
  const listen = '127.0.0.1:0'
  await using server = await createHttpServer({ listen, routes: [route], log: silentLog })
  const wrong = await postInChunks(server.port, 100_000, 'wrong').catch(() => ({
    status: 401,
    sent: 0,
  }))
  expect(wrong.status).toBe(401)
  expect(wrong.sent).toBeLessThan(50_000)
  expect(read).toEqual([])
  const long = await postInChunks(server.port, 1_100, 'right').catch(() => ({
    status: 400,
    sent: 0,
  }))
  expect(long.status).toBe(400)
  expect(read).toEqual([undefined])
})

test('REL-02 a body is read up to the limit, whether its length was told or not', async () => {
  const posted = (body: string) => new Request(url, { method: 'POST', body })
  expect(await readBody(posted('x'.repeat(10)), 10)).toBe('x'.repeat(10))
  expect(await readBody(posted('x'.repeat(11)), 10)).toBeUndefined()
  expect(await readBody(new Request(url, { method: 'POST' }), 10)).toBe('')
})
