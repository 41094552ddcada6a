import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { createApi, toApiSignal } from '../../../../../src/adapters/chat/telegram/api.ts'
import { toDelivery } from '../../../../../src/adapters/chat/telegram/outgoing/to-delivery.ts'

const token = '123456:SECRET-token-of-the-bot'

async function serve(answer: RequestListener) {
  let connections = 0
  const server = createServer(answer)
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    apiRoot: `http://127.0.0.1:${port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function ok(result: unknown): RequestListener {
  return (request, response) => {
    request.resume()
    request.on('end', () => response.end(JSON.stringify({ ok: true, result })))
  }
}

test('TG-01 a trailing slash of the API root is ignored', async () => {
  const paths: string[] = []
  await using server = await serve((request, response) => {
    paths.push(request.url ?? '')
    ok(true)(request, response)
  })
  await createApi({ token, apiRoot: `${server.apiRoot}/`, timeoutMs: 20_000 }).deleteMessage(1, 2)
  expect(paths).toEqual([`/bot${token}/deleteMessage`])
})

test('CHAT-06 connections are reused', async () => {
  await using server = await serve(ok(true))
  const api = createApi({ token, apiRoot: server.apiRoot, timeoutMs: 20_000 })
  for (let call = 0; call < 10; call += 1) await api.deleteMessage(1, 2)
  expect(server.connections()).toBe(1)
})

test('CHAT-06 an unanswered call ends after the time-out, an aborted one at once', async () => {
  await using server = await serve(() => undefined)
  const quick = createApi({ token, apiRoot: server.apiRoot, timeoutMs: 100 })
  const late = await quick.sendMessage(1, 'a').catch(toDelivery)
  expect(late).toEqual({
    kind: 'unreachable',
    why: 'no answer to sendMessage (no time left)',
  })
  const slow = createApi({ token, apiRoot: server.apiRoot, timeoutMs: 600_000 })
  const signal = toApiSignal(AbortSignal.timeout(50))
  const aborted = await slow.sendMessage(1, 'a', {}, signal).catch(toDelivery)
  expect(aborted).toMatchObject({ kind: 'unreachable' })
})

const failures: Readonly<Record<string, RequestListener>> = {
  'a dropped connection': (request) => request.socket.destroy(),
  'a page of a proxy': (_request, response) => response.end('<html>bad gateway</html>'),
  'JSON of somebody else': (_request, response) => response.end('null'),
  'a refusal': (_request, response) => {
    const description = 'Bad Request: chat not found'
    response.end(JSON.stringify({ ok: false, error_code: 400, description }))
  },
}

for (const [name, answer] of Object.entries(failures)) {
  test(`THREAT-14 the error of ${name} holds neither the token nor the address nor what was sent`, async () => {
    await using server = await serve(answer)
    const api = createApi({ token, apiRoot: server.apiRoot, timeoutMs: 20_000 })
    const error = await api.sendMessage(1, 'the words').catch((caught: unknown) => caught)
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)
    expect(error).toBeInstanceOf(Error)
    expect(shown).not.toContain('SECRET')
    expect(shown).not.toContain(server.apiRoot)
    expect(shown).not.toContain('the words')
    expect(toDelivery(error)).toMatchObject({ why: expect.stringMatching(/./) })
  })
}

test('THREAT-14 the error for an unreachable server does not contain the URL', async () => {
  const api = createApi({ token, apiRoot: 'http://127.0.0.1:1', timeoutMs: 20_000 })
  const error = await api.getMe().catch((caught: unknown) => caught)
  expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/SECRET|127\.0\.0\.1/)
  expect(toDelivery(error)).toEqual({
    kind: 'unreachable',
    why: 'no answer to getMe (ECONNREFUSED)',
  })
})
