import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect as openSocket, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { receiveByHttp } from '../../../../../src/adapters/chat/slack/incoming/receive-by-http.ts'
import type {
  Payload,
  Taken,
} from '../../../../../src/adapters/chat/slack/incoming/take-envelope.ts'
import { MemoryLog } from '../../telegram/incoming/memory-log.ts'

const secret = '8f742231b10e8888abcd99yyyzzz85a5'

async function openReceiver(
  take: (handed: Payload) => Promise<Taken> = async () => ({ kind: 'done' }),
) {
  const ending = new AbortController()
  const handed: Payload[] = []
  const listening = Promise.withResolvers<number>()
  const received = receiveByHttp({
    signingSecret: secret,
    port: 0,
    log: new MemoryLog(),
    signal: ending.signal,
    onReceiving: () => undefined,
    onFailure: () => undefined,
    onListening: listening.resolve,
    take: (given) => {
      handed.push(given)
      return take(given)
    },
  })
  const port = await listening.promise
  return {
    handed,
    port,
    received,
    end: () => ending.abort(),
    post: (body: string, headers: Record<string, string> = {}, path = '/slack/events') =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    async [Symbol.asyncDispose]() {
      ending.abort()
      await received
    },
  }
}

function signed(body: string, { ageS = 0, by = secret } = {}): Record<string, string> {
  const at = Math.floor(Date.now() / 1000) - ageS
  const hash = createHmac('sha256', by).update(`v0:${at}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${hash}` }
}

const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev1' })

/** Writes these bytes and answers what comes back until the end. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = openSocket(port, '127.0.0.1')
  let said = ''
  socket.on('data', (data) => {
    said += String(data)
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await Promise.race([once(socket, 'close'), sleep(20_000, undefined, { ref: false })])
  socket.destroy()
  return said
}

describe.concurrent('SLACK-01 THREAT-7 a request', () => {
  test('that is signed is taken and confirmed, with its retry number', async () => {
    await using at = await openReceiver()
    const answer = await at.post(body, { ...signed(body), 'x-slack-retry-num': '2' })
    expect(answer.status).toBe(200)
    expect(at.handed).toEqual([{ body: JSON.parse(body), retryNum: 2 }])
  })

  test('with a form, a tap or a command is taken', async () => {
    await using at = await openReceiver()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const tapped = new URLSearchParams({ payload: body }).toString()
    expect((await at.post(tapped, { ...signed(tapped), ...type })).status).toBe(200)
    const typed = new URLSearchParams({ command: '/countersign', text: 'a&b' }).toString()
    expect((await at.post(typed, { ...signed(typed), ...type })).status).toBe(200)
    expect(at.handed.map((each) => ({ ...(each.body as object) }))).toEqual([
      JSON.parse(body),
      { command: '/countersign', text: 'a&b' },
    ])
  })

  test('that verifies the URL is answered', async () => {
    await using at = await openReceiver()
    const asked = JSON.stringify({ type: 'url_verification', challenge: 'abc' })
    expect(await (await at.post(asked, signed(asked))).text()).toContain('abc')
    expect(at.handed).toEqual([])
  })

  test.each<[string, Record<string, string>]>([
    ['without a signature', {}],
    ['signed by another secret', signed(body, { by: 'another' })],
    ['signed for other words', signed(`${body} `)],
    ['of six minutes ago', signed(body, { ageS: 360 })],
    ['of no time', { ...signed(body), 'x-slack-request-timestamp': 'now' }],
    ['with half a signature', { ...signed(body), 'x-slack-signature': 'v0=' }],
  ])('%s is refused and not read', async (_name, headers) => {
    await using at = await openReceiver()
    expect((await at.post(body, headers)).status).toBe(401)
    expect(at.handed).toEqual([])
  })

  test('REL-02 that is still incomplete after ten seconds is closed', async () => {
    await using at = await openReceiver()
    const socket = openSocket(at.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /slack/events HTTP/1.1\r\nHost: a\r\n')
    const said: Buffer[] = []
    socket.on('data', (data) => said.push(data))
    await once(socket, 'close')
    expect(String(Buffer.concat(said))).toContain('408')
    expect(at.handed).toEqual([])
  }, 60_000)

  test('REL-02 beyond a hundred at a time is closed, and earlier ones are served', async () => {
    await using at = await openReceiver()
    const from = (localAddress: string) =>
      openSocket({ port: at.port, host: '127.0.0.1', localAddress })
    const held = Array.from({ length: 100 }, (_each, n) => from(`127.0.0.${2 + (n % 2)}`))
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    const more = from('127.0.0.4')
    more.on('error', () => undefined)
    await once(more, 'close')
    const [first] = held
    const headers = Object.entries(signed(body)).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = `content-length: ${body.length}\r\nconnection: close\r\n`
    const answered = first === undefined ? undefined : once(first, 'data')
    first?.write(
      `POST /slack/events HTTP/1.1\r\nHost: a\r\ncontent-type: application/json\r\n${headers.join('')}${length}\r\n${body}`,
    )
    expect(String(await answered)).toContain('200 OK')
    for (const socket of held) socket.destroy()
  })

  test('REL-02 THREAT-36 gets through while one network holds all the idle connections it can', async () => {
    await using at = await openReceiver()
    const held = Array.from({ length: 150 }, () => {
      const host = { port: at.port, host: '127.0.0.1', localAddress: '127.0.0.2' }
      return openSocket(host).on('error', () => undefined)
    })
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    expect((await at.post(body, signed(body))).status).toBe(200)
    for (const socket of held) socket.destroy()
  })

  test('that cannot be parsed is refused', async () => {
    await using at = await openReceiver()
    expect((await at.post('{', signed('{'))).status).toBe(400)
    const large = 'x'.repeat(5_000_000)
    expect((await at.post(large, signed(large))).status).toBe(413)
    expect(at.handed).toEqual([])
  })

  test('to another path or with another method is refused', async () => {
    await using at = await openReceiver()
    expect((await at.post(body, signed(body), '/')).status).toBe(404)
    expect((await at.post(body, signed(body), '/slack/events/')).status).toBe(404)
    const got = await fetch(`http://127.0.0.1:${at.port}/slack/events`)
    expect(got.status).toBe(404)
    expect(at.handed).toEqual([])
  })

  test('with an invalid URL stops nothing', async () => {
    await using at = await openReceiver()
    const head = 'HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
    for (const url of ['//', 'http://[', '/%', '*', '//slack/events'])
      expect(await raw(at.port, `POST ${url} ${head}`), url).toMatch(/^HTTP\/1.1 4\d\d/)
    expect((await at.post(body, signed(body))).status).toBe(200)
  })

  test.each(['7', '"x"', '[]', '[null]', 'null', 'true', ''])(
    'that is signed and says %s is refused, and ends nothing',
    async (odd) => {
      await using at = await openReceiver()
      const answer = at.post(odd, signed(odd), '/slack/events').then(({ status }) => status)
      expect(await Promise.race([answer, sleep(20_000, undefined, { ref: false })])).toBe(400)
      const tapped = new URLSearchParams({ payload: odd }).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await at.post(tapped, { ...signed(tapped), ...type })).status).toBe(400)
      expect(at.handed).toEqual([])
      expect((await at.post(body, signed(body))).status).toBe(200)
    },
  )

  test.each(['text/plain', 'multipart/form-data; boundary=x', 'application/jsonp'])(
    'of type %s is refused unread',
    async (type) => {
      await using at = await openReceiver()
      const answer = await at.post(body, { ...signed(body), 'content-type': type })
      expect(answer.status).toBe(415)
      expect(at.handed).toEqual([])
    },
  )

  test('that tests TLS needs no signature, and nothing else of it is used', async () => {
    await using at = await openReceiver()
    const asked = new URLSearchParams({ ssl_check: '1', payload: body }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await at.post(asked, type)).status).toBe(200)
    expect(at.handed).toEqual([])
  })
})

test.concurrent('REL-01 SLACK-01 a payload that is not stored is not confirmed, so that Slack retries', async () => {
  await using at = await openReceiver(async () => ({ kind: 'kept' }))
  expect((await at.post(body, signed(body))).status).toBe(503)
})

test.concurrent('REL-02 a connection that cannot be accepted stops nothing', async () => {
  const listen = vi.spyOn(Server.prototype, 'listen')
  await using at = await openReceiver()
  const server = z.instanceof(Server).parse(listen.mock.contexts[0])
  listen.mockRestore()
  // As Node tells it when file descriptors have run out.
  server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
  expect((await at.post(body, signed(body))).status).toBe(200)
})

test.concurrent('SLACK-01 it stops soon, whatever connections are open, and completes a request in progress', async () => {
  const inHand = Promise.withResolvers<void>()
  await using at = await openReceiver(async () => {
    await inHand.promise
    return { kind: 'done' }
  })
  const idle = openSocket(at.port, '127.0.0.1')
  const half = openSocket(at.port, '127.0.0.1')
  half.write('POST /slack/events HTTP/1.1\r\nhost: x\r\n')
  for (const socket of [idle, half]) socket.on('error', () => undefined)
  const answer = at.post(body, signed(body))
  await expect.poll(() => at.handed.length).toBe(1)
  const startedAt = performance.now()
  at.end()
  await sleep(50)
  inHand.resolve()
  expect((await answer).status).toBe(200)
  await at.received
  // Without an end of its own it would wait until the ten seconds of the half call are over.
  expect(performance.now() - startedAt).toBeLessThan(9_000)
  idle.destroy()
  half.destroy()
})
