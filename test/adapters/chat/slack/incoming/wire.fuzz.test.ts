import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { webApi } from '@slack/bolt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createAnsweredThreads } from '../../../../../src/adapters/chat/slack/answered-threads.ts'
import { receiveByHttp } from '../../../../../src/adapters/chat/slack/incoming/receive-by-http.ts'
import { receiveBySocket } from '../../../../../src/adapters/chat/slack/incoming/receive-by-socket.ts'
import {
  createEnvelopeTaker,
  type TakerOptions,
} from '../../../../../src/adapters/chat/slack/incoming/take-envelope.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import { deepJson, nearly } from '../../../nearly.ts'
import { oddRequests, sendOdd } from '../../../odd-requests.ts'
import { MemoryLog } from '../../telegram/incoming/memory-log.ts'
import { RecordingIntake } from '../../telegram/incoming/recording-intake.ts'
import { ada, command, direct, event, me, mention, reader, submission, tap } from './envelopes.ts'

const stranger = 'U0EVE00001'
const unanswered = 'U0AWAY0001'

/** What takes envelopes, with an intake that keeps all of them, and people as Slack would tell of them. */
function openTaker() {
  const intake = new RecordingIntake()
  const log = new MemoryLog()
  const quiet: Pick<TakerOptions, 'threads' | 'sendEphemeral' | 'onStopped' | 'people'> = {
    threads: { started: () => undefined, message: () => undefined },
    sendEphemeral: () => undefined,
    onStopped: () => undefined,
    people: {
      find: async (userId) => {
        if (userId === unanswered) throw new Error('users.info: no answer')
        if (userId === stranger) return 'a bot'
        return { ...ada, id: `slack:${me.teamId}:${userId}` }
      },
    },
  }
  const answered = createAnsweredThreads()
  // No tap asks for a form, so that nothing is called.
  const client = {} as webApi.WebClient
  const take = createEnvelopeTaker({
    client,
    reader,
    intake,
    messages: english,
    answered,
    log,
    ...quiet,
  })
  return { intake, log, take }
}

const behind = { place: 'C0GENERAL1/1800000000.000100', messageId: '1.2', token: 'token-1' }

/** What Slack sends, each once: by its number it has an id of its own. */
function real(n: number): readonly object[] {
  const form = submission(behind, 'why')
  return [
    { ...direct(`hello ${n}`), event_id: `Ev${n}` },
    { ...mention(`hello ${n}`), event_id: `Ev${n}` },
    tap('token-1', { trigger_id: `1.${n}` }),
    { ...form, view: { ...form.view, id: `V${n}` } },
    command('status', { trigger_id: `2.${n}` }),
    event(
      {
        type: 'agent_session_stopped',
        user: 'U0ADA00001',
        channel: 'D0ADA00001',
        thread_ts: '1.1',
      },
      { event_id: `Ev${n}` },
    ),
  ]
}

const odd = fc.oneof(
  { arbitrary: nearly(real(0)).map((value) => JSON.stringify(value)), weight: 3 },
  deepJson,
  deepJson.map((deep) => `{"type":"url_verification","challenge":${deep}}`),
  fc.json(),
  fc.constantFrom(
    JSON.stringify({ ...direct('a stranger'), event: { ...direct('').event, user: stranger } }),
    JSON.stringify({ ...direct('nobody says'), event: { ...direct('').event, user: unanswered } }),
    JSON.stringify({ ...direct('of another'), team_id: 'T0OTHER' }),
  ),
)

describe('by HTTP', () => {
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'

  function sign(body: Buffer, by = secret): readonly string[] {
    const at = Math.floor(Date.now() / 1_000)
    const hash = createHmac('sha256', by).update(`v0:${at}:`).update(body).digest('hex')
    return [`X-Slack-Request-Timestamp: ${at}`, `X-Slack-Signature: v0=${hash}`]
  }

  async function serve() {
    const taker = openTaker()
    const ending = new AbortController()
    const listening = Promise.withResolvers<number>()
    const received = receiveByHttp({
      signingSecret: secret,
      port: 0,
      log: taker.log,
      signal: ending.signal,
      take: taker.take,
      onReceiving: () => undefined,
      onFailure: () => undefined,
      onListening: listening.resolve,
    })
    const port = await listening.promise
    return {
      ...taker,
      port,
      async [Symbol.asyncDispose]() {
        ending.abort()
        await received
      },
    }
  }

  const bodies = fc.oneof(
    fc.tuple(fc.nat(99), fc.nat(5)).map(([n, kind]) => JSON.stringify(real(n)[kind])),
    odd,
    odd.map((text) => new URLSearchParams({ payload: text }).toString()),
    fc.constantFrom(
      '',
      'ssl_check=1',
      'ssl_check=1&payload=%7B%7D',
      'payload=a&payload=b',
      'x'.repeat(70_000),
    ),
  )
  const requests = oddRequests({
    methods: ['POST'],
    paths: ['/slack/events'],
    headers: ['Content-Type: application/json', 'X-Slack-Retry-Num: 1'],
    bodies,
    sign,
  })

  test('SLACK-01 REL-02 THREAT-7 any request is answered and stops nothing; unsigned ones have no effect, and repeated ones no further effect', async () => {
    await using at = await serve()
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const before = at.intake.taken.length
        const { statuses } = await sendOdd(at.port, request)
        // 503: Slack says nothing of who wrote it.
        for (const status of statuses)
          expect([200, 400, 401, 404, 408, 413, 415, 417, 431, 503]).toContain(status)
        if (statuses.includes(503)) expect(request.bytes.includes(unanswered)).toBe(true)
        if (request.isWhole && request.bytes.length < 60_000) expect(statuses).toHaveLength(1)
        const isSigned = request.bytes.includes('X-Slack-Signature')
        if (!isSigned) expect(at.intake.taken.length).toBe(before)
        const kept = at.intake.stored.length
        await sendOdd(at.port, request)
        expect(at.intake.stored.length).toBe(kept)
      }),
      { numRuns: 200 },
    )
    expect(new Set(at.intake.ids()).size).toBe(at.intake.stored.length)
    expect(at.log.having('failed')).toEqual([])
  })

  test('REL-02 a challenge that is not a text is refused, and the next request is served', async () => {
    await using at = await serve()
    const deep = `{"type":"url_verification","challenge":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const post = (body: string) =>
      fetch(`http://127.0.0.1:${at.port}/slack/events`, {
        method: 'POST',
        body,
        headers: [...sign(Buffer.from(body)), 'Content-Type: application/json'].map(
          (line) => line.split(': ', 2) as [string, string],
        ),
      })
    expect((await post(deep)).status).toBe(400)
    expect((await post(JSON.stringify(real(1)[0]))).status).toBe(200)
    expect(at.intake.ids()).toEqual([`${me.teamId}:Ev1`])
  })
})

/** A batch: whole envelopes, by their numbers, among others that are not. */
const batch = fc
  .array(
    fc.oneof(
      fc.nat(5).map((kind) => ({ kind })),
      odd.map((text) => ({ text })),
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((items) =>
    items.map((item, index) =>
      'text' in item
        ? { text: item.text, isReal: false }
        : { text: JSON.stringify(real(index + 1)[item.kind]), isReal: true },
    ),
  )

/** The ids by which whole envelopes of a batch are stored. */
function idsOf(items: readonly { readonly text: string; readonly isReal: boolean }[]) {
  const { take, intake } = openTaker()
  const whole = items.filter(({ isReal }) => isReal)
  return Promise.all(whole.map(({ text }) => take({ body: JSON.parse(text) }))).then(() =>
    intake.ids(),
  )
}

test('SLACK-01 REL-02 of concurrent payloads the valid ones are taken, whatever else arrives', async () => {
  await fc.assert(
    fc.asyncProperty(batch, async (items) => {
      const { take, intake } = openTaker()
      const bodies = items.flatMap(({ text }) => {
        try {
          return [JSON.parse(text) as unknown]
        } catch {
          return []
        }
      })
      const taken = await Promise.all(bodies.map((body) => take({ body })))
      for (const { kind } of taken) expect(['done', 'kept']).toContain(kind)
      for (const id of await idsOf(items)) expect(intake.ids()).toContain(id)
    }),
    { numRuns: 100 },
  )
})

describe('by Socket Mode', () => {
  /** Slack as Socket Mode needs it: an address to connect to, and a socket that brings any text. */
  async function openSocket() {
    const taker = openTaker()
    const sockets = new WebSocketServer({ noServer: true })
    const connected = Promise.withResolvers<WebSocket>()
    const acked: unknown[] = []
    const server = createServer((_request, response) => {
      const { port } = server.address() as AddressInfo
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/link` }))
    })
    let connections = 0
    server.on('upgrade', (request, stream, head) => {
      sockets.handleUpgrade(request, stream, head, (socket) => {
        connections += 1
        socket.on('message', (data) => acked.push(JSON.parse(String(data))?.envelope_id))
        socket.send('{"type":"hello"}')
        connected.resolve(socket)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ending = new AbortController()
    const received = receiveBySocket({
      appToken: 'xapp-1',
      apiUrl: `http://127.0.0.1:${port}/api/`,
      log: taker.log,
      signal: ending.signal,
      take: taker.take,
      onReceiving: () => undefined,
      onFailure: () => undefined,
    })
    return {
      ...taker,
      acked,
      connections: () => connections,
      socket: await connected.promise,
      async [Symbol.asyncDispose]() {
        ending.abort()
        await received
        for (const socket of sockets.clients) socket.terminate()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  }

  const wrapped = (id: string, body: unknown, type = 'events_api') =>
    JSON.stringify({ type, envelope_id: id, payload: body, accepts_response_payload: false })
  const ownTypes = ['ws_message', 'slack_event', 'error', 'close', 'connected', 'disconnected']
  const frames = fc.oneof(
    odd,
    fc
      .tuple(odd, fc.constantFrom('events_api', 'interactive', 'slash_commands', 'x'))
      .map(([text, type]) => `{"type":"${type}","envelope_id":"odd","payload":${text}}`),
    fc.constantFrom(
      'null',
      '7',
      '"x"',
      '[]',
      '{}',
      '',
      '{',
      '{"type":null}',
      '{"type":{}}',
      '{"type":"events_api"}',
      '{"type":"events_api","payload":null}',
      '{"type":"events_api","payload":{"event":null}}',
      ...ownTypes.map((type) => `{"type":"${type}","envelope_id":"own"}`),
      ...ownTypes.map((type) => wrapped('own', event({ type }))),
      '{"type":"hello"}',
    ),
  )

  test('SLACK-01 REL-02 unreadable frames stop nothing, and valid ones are taken', async () => {
    await using at = await openSocket()
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(frames, { maxLength: 8 }), async (some) => {
        for (const text of some) at.socket.send(text)
        at.socket.send(Buffer.from('binary'), { binary: true })
        number += 1
        const id = `Ev${number}`
        at.socket.send(wrapped(id, { ...direct('hello'), event_id: id }))
        await expect.poll(() => at.acked, { interval: 1 }).toContain(id)
        expect(at.intake.ids()).toContain(`${me.teamId}:${id}`)
      }),
      { numRuns: 100 },
    )
    process.off('unhandledRejection', note)
    expect([unhandled, at.connections()]).toEqual([[], 1])
  })
})
