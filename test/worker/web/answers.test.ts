import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  callTool,
  createWebPlace,
  errorOf,
  other,
  page,
  type WebPlace,
} from '../../support/web/web-place.ts'

let place: WebPlace
beforeAll(async () => {
  place = await createWebPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
beforeEach(() => place.routes.clear())

describe('responses', () => {
  test.each([
    [400, 'invalid_parameters'],
    [401, 'policy_blocked'],
    [403, 'policy_blocked'],
    [404, 'permanent_failure'],
    [405, 'permanent_failure'],
    [408, 'permanent_failure'],
    [410, 'permanent_failure'],
    [418, 'permanent_failure'],
    [422, 'invalid_parameters'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [502, 'server_error'],
    [503, 'server_error'],
    [599, 'server_error'],
  ])('WEB-06 ERR-05 %i is %s', async (status, category) => {
    place.routes.set('/', (_, response) => void response.writeHead(status).end('why'))
    const outcome = await place.fetch(place.url('/'))
    expect(errorOf(outcome)).toEqual({ category, message: `site.example answered ${status}` })
    expect(outcome).toMatchObject({ hops: [{ status, error: `site.example answered ${status}` }] })
    expect(errorOf(await place.scrape({ url: place.url('/'), select: 'p' })).category).toBe(
      category,
    )
  })

  test('WEB-06 after a 429 the host is not asked until the requested time, other hosts are', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z')
    await using tools = place.tools({ now: () => now })
    const fetch = (path: string, host?: string) =>
      callTool(tools, 'fetch', { url: place.url(path, host) })
    place.routes.set(
      '/busy',
      (_, response) => void response.writeHead(429, { 'retry-after': '7' }).end(),
    )
    place.routes.set('/', page('text/plain', 'fine'))
    expect(errorOf(await fetch('/busy'))).toEqual({
      category: 'rate_limited',
      message: 'site.example answered 429; it asks to wait 7 s',
    })
    const before = place.requests.length
    now += 2_500
    const early = await fetch('/')
    expect(errorOf(early)).toEqual({
      category: 'rate_limited',
      message: 'site.example asked to be left alone for 5 s more',
    })
    expect(early).toMatchObject({ hops: [{ blocked: expect.any(String) }] })
    expect(place.requests.length).toBe(before)
    expect(await fetch('/', other)).toMatchObject({ kind: 'ok' })
    now += 4_500
    expect(await fetch('/')).toMatchObject({ kind: 'ok', output: 'fine' })
  })

  test('WEB-06 the Retry-After of a 503 is reported', async () => {
    place.routes.set(
      '/',
      (_, response) => void response.writeHead(503, { 'retry-after': '120' }).end(),
    )
    expect(errorOf(await place.fetch(place.url('/'))).message).toMatch(/it asks to wait 120 s$/)
  })

  test('WEB-06 a name without an address, a closed port, a reset and a response that is not HTTP are network errors', async () => {
    const unknown = errorOf(await place.fetch(place.url('/', 'nowhere.example')))
    expect(unknown).toEqual({
      category: 'network_error',
      message: 'nowhere.example has no address (DNS): ENOTFOUND',
    })
    place.routes.set('/reset', ({ socket }) => socket.destroy())
    place.routes.set('/cut', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('a', () => response.destroy())
    })
    place.routes.set('/noise', ({ socket }) => void socket.write('no HTTP at all\r\n\r\n'))
    for (const path of ['/reset', '/cut', '/noise']) {
      expect(errorOf(await place.fetch(place.url(path))).category).toBe('network_error')
    }
    const port = await closedPort()
    const rules = { ...place.options.rules, allowedPorts: [port] }
    await using tools = place.tools({ rules })
    const closed = await callTool(tools, 'fetch', { url: `https://site.example:${port}/` })
    expect(errorOf(closed)).toEqual({
      category: 'network_error',
      message: 'site.example could not be connected to: ECONNREFUSED',
    })
  })

  test('WEB-06 a truncated response still has its status and bytes in the hop', async () => {
    place.routes.set('/', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
      response.write('abc', () => setTimeout(() => response.destroy(), 50))
    })
    const outcome = await place.fetch(place.url('/'))
    expect(outcome).toMatchObject({ kind: 'error', hops: [{ status: 200, bytes: 3 }] })
  })

  test('WEB-06 endless headers are a network error', async () => {
    place.routes.set('/', ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = setInterval(() => socket.write(`x: ${'a'.repeat(8_000)}\r\n`), 5)
      socket.on('close', () => clearInterval(more))
    })
    expect(errorOf(await place.fetch(place.url('/'))).category).toBe('network_error')
  })
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
