import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Update } from 'grammy/types'
import { expect, test } from 'vitest'
import { setUp } from './set-up.ts'

interface Received {
  readonly update: Update
  readonly headers: IncomingHttpHeaders
}

interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A webhook that answers as told; `undefined` destroys the connection. */
async function createHook(answer: (received: Received, index: number) => Answer | undefined) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.end()
      return
    }
    const got = { update: (await json(request)) as Update, headers: request.headers }
    received.push(got)
    const told = answer(got, received.length - 1)
    if (told === undefined) {
      response.destroy()
      return
    }
    response.writeHead(told.status, told.headers ?? {})
    response.end(told.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

test('updates are posted one by one, in order, with the secret', async () => {
  await using at = await setUp()
  await using hook = await createHook(() => ({ status: 200 }))
  const { api, ada, chat, telegram } = at
  chat.send(ada, 'before')
  await api.setWebhook(hook.url, { secret_token: 'S3cret_-' })
  for (const text of ['one', 'two']) chat.send(ada, text)
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  expect(hook.received.map(({ update }) => update.message?.text)).toEqual(['before', 'one', 'two'])
  for (const { headers } of hook.received) {
    expect(headers['x-telegram-bot-api-secret-token']).toBe('S3cret_-')
    expect(headers['content-type']).toBe('application/json')
  }
})

test('what was not taken comes again, and nothing overtakes it', async () => {
  await using at = await setUp({ webhookRetryMs: 5 })
  await using hook = await createHook((_received, index) =>
    index === 1
      ? undefined
      : { status: [500, 0, 404, 302][index] ?? 200, headers: { location: '/elsewhere' } },
  )
  const { api, ada, chat, telegram } = at
  await api.setWebhook(hook.url)
  for (const text of ['one', 'two']) chat.send(ada, text)
  await telegram.waitFor(() => telegram.pendingUpdates().length === 0)
  expect(hook.received.map(({ update }) => update.message?.text)).toEqual([
    'one',
    'one',
    'one',
    'one',
    'one',
    'two',
  ])
  const info = await api.getWebhookInfo()
  expect(info.last_error_message).toMatch(/Wrong response from the webhook: 302/)
  expect(hook.received[0]?.headers['x-telegram-bot-api-secret-token']).toBeUndefined()
})

test('a webhook may answer with a call', async () => {
  await using at = await setUp()
  const body = JSON.stringify({ method: 'sendMessage', chat_id: 42, text: 'by the way' })
  await using hook = await createHook(() => ({ status: 200, body }))
  await at.api.setWebhook(hook.url)
  at.chat.send(at.ada, 'hello')
  await at.chat.waitForText('by the way')
})

test('a deleted webhook gets nothing any more, and pending updates can be dropped', async () => {
  await using at = await setUp()
  await using hook = await createHook(() => ({ status: 200 }))
  const { api, ada, chat } = at
  await api.setWebhook(hook.url)
  await api.deleteWebhook()
  chat.send(ada, 'hello')
  expect(await api.getUpdates()).toHaveLength(1)
  expect(hook.received).toEqual([])
  await api.deleteWebhook({ drop_pending_updates: true })
  expect(await api.getUpdates()).toEqual([])
})
