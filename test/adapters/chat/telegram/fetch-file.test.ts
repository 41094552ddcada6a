import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createApi } from '../../../../src/adapters/chat/telegram/api.ts'
import { createFetchFile } from '../../../../src/adapters/chat/telegram/fetch-file.ts'

const token = '7000000001:AAH-secret-secret-secret-secret-secr'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server that answers getFile with `found`, and the download by `give`. */
async function fetching(
  found: unknown,
  give: Answer = (response) => response.end('hello'),
  withinMs = 60_000,
) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    if (request.url?.includes('/file/')) return give(response, request)
    response.setHeader('content-type', 'application/json')
    const isRefused = typeof found === 'object' && found !== null && 'error_code' in found
    response.end(JSON.stringify(isRefused ? { ok: false, ...found } : { ok: true, result: found }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = createApi({ token, apiRoot, timeoutMs: 60_000 })
  const fetchFile = createFetchFile({ api, token, apiRoot })
  const fetched = await fetchFile('x', { maxBytes: 10, signal: AbortSignal.timeout(withinMs) })
  expect(JSON.stringify(fetched)).not.toContain('secret')
  return { fetched, seen }
}

const at = { file_id: 'x', file_unique_id: 'y', file_path: 'documents/file_1.txt' }

describe('a file of Telegram', () => {
  test('CHAT-07 is downloaded from the configured server, by the path that getFile returns', async () => {
    const { fetched, seen } = await fetching(at)
    expect(fetched).toEqual({ kind: 'fetched', content: Buffer.from('hello') })
    expect(seen.at(-1)).toBe(`/file/bot${token}/documents/file_1.txt`)
  })

  test('CHAT-07 is cut off if it is larger than allowed, whatever size was announced', async () => {
    let sent = 0
    const endless: Answer = (response) => {
      const more = () => {
        sent += 1
        if (sent < 10_000 && response.write('x'.repeat(1_000))) setImmediate(more)
        else response.once('drain', more)
      }
      more()
    }
    const { fetched } = await fetching({ ...at, file_size: 5 }, endless)
    expect(fetched).toEqual({ kind: 'too_large' })
    expect(sent).toBeLessThan(10_000)
    const told = await fetching(at, (response) => response.end('x'.repeat(11)))
    expect(told.fetched).toEqual({ kind: 'too_large' })
    const exactly = await fetching(at, (response) => response.end('x'.repeat(10)))
    expect(exactly.fetched).toMatchObject({ kind: 'fetched' })
  })

  test('CHAT-07 is not downloaded if getFile reports it as too large', async () => {
    const { fetched, seen } = await fetching({ ...at, file_size: 11 })
    expect(fetched).toEqual({ kind: 'too_large' })
    expect(seen).toHaveLength(1)
    const refused = await fetching({ error_code: 400, description: 'Bad Request: file is too big' })
    expect(refused.fetched).toEqual({ kind: 'too_large' })
  })

  test.each([
    '../../etc/passwd',
    'documents/../x',
    'a b',
    'a?b',
    'a//b',
    'http://evil.test/x',
    '@evil.test',
  ])('CHAT-07 is not fetched by the path %s', async (file_path) => {
    const { fetched, seen } = await fetching({ ...at, file_path })
    expect(fetched).toMatchObject({ kind: 'refused' })
    expect(seen).toHaveLength(1)
  })

  test('CHAT-07 of a server in local mode is refused with the reason', async () => {
    const { fetched } = await fetching({ ...at, file_path: '/var/lib/telegram-bot-api/x' })
    expect(fetched).toMatchObject({ kind: 'refused', why: 'local_server' })
  })

  test.each<[string, Answer]>([
    ['another status', (response) => response.writeHead(502).end('<html>')],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    [
      'half of it',
      (response) =>
        response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy()),
    ],
    ['nothing', () => undefined],
    ['a broken connection', (response) => void response.destroy()],
  ])('CHAT-07 that is answered by %s is asked for again later', async (_, give) => {
    expect((await fetching(at, give, 1_500)).fetched).toMatchObject({ kind: 'unreachable' })
  })

  test.each([
    [
      { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 7 } },
      { kind: 'busy', afterMs: 7_000 },
    ],
    [
      { error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 9e9 } },
      { kind: 'busy', afterMs: 60_000 },
    ],
    [{ error_code: 400, description: 'Bad Request: wrong file_id' }, { kind: 'refused' }],
    [{ error_code: 500, description: 'Internal' }, { kind: 'unreachable' }],
    [{ file_id: 'x' }, { kind: 'unreachable' }],
  ])('CHAT-07 of which getFile says %j', async (found, expected) => {
    expect((await fetching(found)).fetched).toMatchObject(expected)
  })
})
