import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { parseBaseUrl, withVersion } from '../../../src/adapters/model/base-url.ts'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { toModelRequest } from './model-request.ts'

test.each([
  ['http://host:1', 'http://host:1/v1'],
  ['http://host:1/', 'http://host:1/v1'],
  ['http://host:1/v1', 'http://host:1/v1'],
  ['https://host/api/v1/', 'https://host/api/v1'],
  ['https://host/paas/v4', 'https://host/paas/v4'],
  ['https://host/v1beta/openai/', 'https://host/v1beta/openai'],
  ['https://v1.host', 'https://v1.host/v1'],
  ['https://host/vision', 'https://host/vision/v1'],
])('CONF-03 calls %s at %s', (given, called) => {
  expect(withVersion(parseBaseUrl(given, 'OPENAI_BASE_URL'))).toBe(called)
})

test('CONF-03 finds a server that has no version segment at all, and stays there', async () => {
  const paths: (string | undefined)[] = []
  await using server = await serve((path) => {
    paths.push(path)
    return path === '/inference/chat/completions' ? 200 : 404
  })
  const model = await createModel({
    provider: 'openai',
    name: 'm',
    baseUrl: `${server.url}/inference`,
    maxOutputTokens: 10,
  })
  expect((await model.answer(toModelRequest('one'))).text).toBe('found')
  expect((await model.answer(toModelRequest('two'))).text).toBe('found')
  expect(paths.filter((path) => path?.includes('/chat/'))).toEqual([
    '/inference/v1/chat/completions',
    '/inference/chat/completions',
    '/inference/chat/completions',
  ])
})

test('CONF-03 reports a 404 that both forms give, such as for an unknown model', async () => {
  await using server = await serve(() => 404)
  const model = await createModel({
    provider: 'openai',
    name: 'm',
    baseUrl: server.url,
    maxOutputTokens: 10,
  })
  await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('no such model'),
  })
})

test.each(['anthropic', 'openai'] as const)(
  'CONF-03 says so when %s’s base URL leads to a web site',
  async (provider) => {
    await using server = await serve(() => 200, 'text/html; charset=utf-8')
    const model = await createModel({
      provider,
      name: 'm',
      baseUrl: server.url,
      maxOutputTokens: 10,
    })
    await expect(model.answer(toModelRequest('hi'))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('web site'),
    })
  },
)

async function serve(statusOf: (path: string | undefined) => number, type = 'text/event-stream') {
  const server = createServer((incoming, response) => {
    incoming.resume()
    const status = statusOf(incoming.url)
    const chunk = { choices: [{ index: 0, delta: { content: 'found' }, finish_reason: 'stop' }] }
    response.writeHead(status, { 'content-type': type })
    response.end(
      status === 404
        ? '{"error":{"message":"no such model"}}'
        : `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = Object(server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
