import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  callTool,
  createWebPlace,
  errorOf,
  page,
  type Route,
  site,
  type WebPlace,
} from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace({ maxBodyBytes: 1_048_576 })
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => place.routes.clear())

const megabyte = 1_048_576

/** Sends for as long as a client reads. */
function endless(chunk: Buffer, type = 'text/plain'): Route {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type })
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
}

/** Endless gzip members of one megabyte of zeros each. */
const bombs: readonly (readonly [string, Buffer])[] = [
  ['gzip', Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(4 * megabyte))))],
  [
    'br',
    brotliCompressSync(Buffer.alloc(256 * megabyte), {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 },
    }),
  ],
  ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * megabyte)))],
]

describe('limits', () => {
  test('WEB-05 a body of exactly the limit is read, one byte more is refused', async () => {
    place.routes.set('/fits', page('text/plain', 'a'.repeat(megabyte)))
    const length = { 'content-length': String(megabyte + 1) }
    place.routes.set('/more', page('text/plain', 'a'.repeat(megabyte + 1), length))
    expect(await place.fetch(place.url('/fits'))).toMatchObject({ kind: 'ok' })
    const outcome = await place.fetch(place.url('/more'))
    expect(errorOf(outcome)).toEqual({
      category: 'permanent_failure',
      message: `the body is too large: ${megabyte + 1} bytes; at most ${megabyte} bytes are read, also unpacked`,
    })
    expect(outcome).toMatchObject({
      hops: [{ status: 200, bytes: 0, blocked: expect.any(String) }],
    })
  })

  test.each(['text/plain', 'image/png'])(
    'WEB-05 an endless body of %s costs at most the limit',
    async (type) => {
      place.routes.set('/', endless(Buffer.alloc(65_536, 'a'), type))
      const outcome = await place.fetch(place.url('/'))
      expect(errorOf(outcome)).toMatchObject({
        category: 'permanent_failure',
        message: expect.stringMatching(/more than 1\d{6} bytes/),
      })
      const [hop] = outcome.hops ?? []
      expect(hop?.bytes).toBeLessThan(megabyte + 1_000_000)
      await expect.poll(() => place.connections.size).toBe(0)
    },
  )

  test.each(bombs)('WEB-05 a bomb of %s costs at most the limit', async (coding, body) => {
    expect(body.length).toBeLessThan(megabyte)
    place.routes.set('/', page('text/html', body, { 'content-encoding': coding }))
    const before = process.memoryUsage().rss
    const outcome = await place.fetch(place.url('/'))
    expect(errorOf(outcome)).toMatchObject({
      category: 'permanent_failure',
      message: expect.stringContaining('too large'),
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * megabyte)
  })

  test.each<[string, Route]>([
    ['headers never come', () => undefined],
    [
      'the body trickles',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' })
        const timer = setInterval(() => response.write('a'), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
    [
      'the body stands still',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '10' }).write('a')
      },
    ],
    [
      'a redirect each time, slowly',
      (_, response) => {
        setTimeout(() => response.writeHead(302, { location: '/' }).end(), 250)
      },
    ],
  ])('WEB-05 the time limit is one of the whole exchange: %s', async (_what, route) => {
    place.routes.set('/', route)
    await using tools = place.tools({ timeoutMs: 600 })
    const outcome = await callTool(tools, 'fetch', { url: place.url('/') })
    expect(errorOf(outcome)).toEqual({
      category: 'timeout',
      message: 'It did not end within its time limit',
    })
    expect(outcome.hops?.at(-1)).toMatchObject({ host: site, error: expect.any(String) })
    await expect.poll(() => place.connections.size).toBe(0)
  })

  test('WEB-05 a name server that does not answer does not block a call', async () => {
    place.names.names.set('silent.example', () => 'silent')
    await using tools = place.tools({ timeoutMs: 300 })
    const outcome = await callTool(tools, 'fetch', { url: place.url('/', 'silent.example') })
    expect(errorOf(outcome).category).toBe('timeout')
  })

  test('WEB-05 a page that takes hours to parse ends with its time limit, and the worker responds meanwhile', async () => {
    place.routes.set('/', page('text/html', '<div>'.repeat(200_000)))
    await using tools = place.tools()
    let ticks = 0
    const late = new AbortController()
    // Three seconds of CPU time; on a busy machine they take longer.
    const timer = setInterval(() => {
      ticks += 1
      if (ticks === 60) late.abort(new DOMException('late', 'TimeoutError'))
    }, 50)
    const outcome = await callTool(tools, 'fetch', { url: place.url('/') }, late.signal)
    clearInterval(timer)
    expect(errorOf(outcome).category).toBe('timeout')
    expect(ticks).toBeGreaterThan(10)
    place.routes.set('/', page('text/html', '<p>after'))
    expect(await callTool(tools, 'fetch', { url: place.url('/') })).toMatchObject({
      output: 'after',
    })
  })

  test.each([
    [
      'the body',
      (_: unknown, response: Parameters<Route>[1]) => {
        response.writeHead(200, { 'content-type': 'text/plain' }).write('a')
      },
    ],
    ['the headers', () => undefined],
  ] as const)(
    'WEB-05 a call that is stopped while it waits for %s closes its connection at once',
    async (_what, route) => {
      place.routes.set('/', route)
      const stop = new AbortController()
      const running = place.fetch(place.url('/'), stop.signal)
      const before = place.requests.length
      await expect.poll(() => place.requests.length).toBeGreaterThan(before)
      stop.abort(new Error('no more'))
      expect(errorOf(await running).category).toBe('cancelled')
      await expect.poll(() => place.connections.size).toBe(0)
    },
  )

  test('WEB-05 a call that was stopped before it started sends no request', async () => {
    const before = place.names.asked.length
    const outcome = await place.fetch(place.url('/'), AbortSignal.abort(new Error('no more')))
    expect(errorOf(outcome).category).toBe('cancelled')
    expect(place.names.asked.length).toBe(before)
  })

  test('WEB-02 WEB-03 proxies are ignored, whatever the environment says', async () => {
    let connections = 0
    const proxy = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const address = proxy.address()
    const port = typeof address === 'object' ? address?.port : 0
    const script = new URL('./fixtures/fetch-once.ts', import.meta.url).pathname
    place.routes.set('/', page('text/plain', 'straight'))
    const told = JSON.stringify({
      url: place.url('/'),
      port: place.port,
      ca: place.hooksForTests.ca,
      nameServers: place.hooksForTests.nameServers,
    })
    const proxies = {
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      https_proxy: `http://127.0.0.1:${port}`,
      ALL_PROXY: `http://127.0.0.1:${port}`,
      NODE_USE_ENV_PROXY: '1',
    }
    const { stdout } = await promisify(execFile)(process.execPath, [script, told], {
      env: { ...process.env, ...proxies },
    })
    proxy.close()
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'ok', output: 'straight' })
    expect(connections).toBe(0)
  })
})
