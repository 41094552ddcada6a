import fc from 'fast-check'
import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { createWebhook } from '../../../src/adapters/chat/telegram/incoming/webhook.ts'
import { type ApiAnswer, type ApiHandlers, apiRoute } from '../../../src/adapters/http/api-route.ts'
import { allowHosts, createHttpServer } from '../../../src/adapters/http/create-http-server.ts'
import { GuessLimit } from '../../../src/adapters/http/guess-limit.ts'
import { healthRoute } from '../../../src/adapters/http/health-route.ts'
import { metricsRoute } from '../../../src/adapters/http/metrics-route.ts'
import { telegramRoute } from '../../../src/adapters/http/telegram-route.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { MemoryLog } from '../chat/telegram/incoming/memory-log.ts'
import { RecordingIntake } from '../chat/telegram/incoming/recording-intake.ts'
import { me, privateMessage, tap } from '../chat/telegram/incoming/updates.ts'
import { deepJson, nearly } from '../nearly.ts'
import { oddRequests, sendOdd } from '../odd-requests.ts'

const token = 'countersign_good'
const secret = 'the_webhook_secret'
const rights = [`Authorization: Bearer ${token}`, `X-Telegram-Bot-Api-Secret-Token: ${secret}`]

/** All that a gateway serves, with what stands behind it replaced by lists of what reached it. */
async function serveAll() {
  const answers: ApiAnswer[] = []
  const intake = new RecordingIntake()
  const log = new MemoryLog()
  const api = new Api('7:unused', { apiRoot: 'http://127.0.0.1:1' })
  const webhook = createWebhook({
    api,
    intake,
    messages: english,
    me,
    log,
    url: 'https://bot.example',
    secret,
  })
  const handlers: ApiHandlers = {
    identify: async (digest) => (digest === sha256(token) ? 'known' : 'unknown'),
    answer: async (_token, answer) => {
      answers.push(answer)
      return { applied: true, message: 'Approved.' }
    },
    readFile: async (_token, id) =>
      id === 'a' ? { name: 'call.txt', content: Buffer.from('x') } : undefined,
    follow: () => ({ items: endOfStream(), end: () => undefined }),
  }
  let now = 0
  const limit = new GuessLimit(() => (now += 61_000))
  const hosts = allowHosts([])
  const server = await createHttpServer({
    listen: '127.0.0.1:0',
    log,
    routes: [
      healthRoute({ database: async () => undefined }, hosts),
      metricsRoute({ contentType: 'text/plain', text: async () => 'up 1\n' }, hosts),
      telegramRoute(webhook.handle),
      apiRoute({ handlers, ownOrigin: undefined, limit }),
    ],
  })
  const effects = (): number => answers.length + intake.taken.length
  return {
    port: server.port,
    log,
    effects,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function* endOfStream(): AsyncGenerator<never, void> {}

const samples = [
  { sessionId: 's', approvalId: 'a', always: true },
  { sessionId: 's', approvalId: 'a', feedback: 'no' },
  privateMessage(1, 'hello'),
  tap(2),
]

const requests = oddRequests({
  methods: ['GET', 'POST', 'POST'],
  paths: [
    '/healthz',
    '/readyz',
    '/metrics',
    '/v1/events',
    '/v1/tool/approve',
    '/v1/tool/deny',
    '/v1/tool/approvals/a/file',
    '/telegram/webhook',
  ],
  headers: ['Content-Type: application/json', ...rights],
  bodies: fc.oneof(
    { arbitrary: nearly(samples, 1).map((value) => JSON.stringify(value)), weight: 4 },
    deepJson,
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('', 'x'.repeat(70_000), `"${'x'.repeat(1_100_000)}"`),
  ),
})

const known = [200, 400, 401, 403, 404, 405, 408, 413, 415, 417, 421, 431]

test('REL-02 THREAT-8 APPR-11 PROC-05 TG-01 whatever is sent to the gateway is answered, ends nothing, and does nothing without its right', async () => {
  await using place = await serveAll()
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const before = place.effects()
      const { statuses } = await sendOdd(place.port, request)
      for (const status of statuses) expect(known).toContain(status)
      const done = place.effects() - before
      if (!rights.some((line) => request.bytes.includes(line))) expect(done).toBe(0)
      expect(done).toBeLessThanOrEqual(1)
      if (request.isWhole && request.bytes.length < 60_000) expect(statuses).toHaveLength(1)
    }),
    { numRuns: 300 },
  )
  for (const words of ['a route failed', 'the server failed', 'a delivery failed']) {
    expect(place.log.having(words)).toEqual([])
  }
  expect((await fetch(`http://127.0.0.1:${place.port}/readyz`)).status).toBe(200)
})

test.each(['/telegram/webhook', '/v1/tool/approve'])(
  'REL-02 a body that breaks off on its way to %s is the client’s fault: 400, and no error is logged',
  async (path) => {
    await using place = await serveAll()
    const head = ['Host: localhost', 'Content-Type: application/json', ...rights]
    const chunked = [`POST ${path} HTTP/1.1`, ...head, 'Transfer-Encoding: chunked'].join('\r\n')
    const bytes = Buffer.from(`${chunked}\r\n\r\n5\r\n{"a":zz\r\n`)
    // The server closes by itself.
    expect((await sendOdd(place.port, { bytes, isWhole: true })).statuses).toEqual([400])
    const short = [`POST ${path} HTTP/1.1`, ...head, 'Content-Length: 9'].join('\r\n')
    await sendOdd(place.port, { bytes: Buffer.from(`${short}\r\n\r\n{`), isWhole: false })
    expect((await fetch(`http://127.0.0.1:${place.port}/readyz`)).status).toBe(200)
    expect(place.log.lines).toEqual([])
  },
)
