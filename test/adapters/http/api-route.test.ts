import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ApiAnswer, type ApiHandlers, apiRoute } from '../../../src/adapters/http/api-route.ts'
import { createHttpServer } from '../../../src/adapters/http/create-http-server.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { ApiClient } from '../../support/api-client.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { MemoryLog } from '../chat/telegram/incoming/memory-log.ts'

const good = 'countersign_good'
const ids = { sessionId: 's', approvalId: 'a' }

interface Place extends AsyncDisposable {
  readonly port: number
  readonly log: MemoryLog
  readonly client: ApiClient
  readonly stranger: ApiClient
  /** What reached the product. */
  readonly answers: readonly ApiAnswer[]
  /** How many tokens were looked up. */
  looks(): number
}

async function createPlace(
  given: {
    readonly ownOrigin?: string
    readonly isClosed?: boolean
    readonly fails?: boolean
  } = {},
): Promise<Place> {
  const answers: ApiAnswer[] = []
  let looks = 0
  const handlers: ApiHandlers = {
    identify: async (digest) => {
      looks += 1
      if (given.fails === true) throw new Error(`the database holds ${good}`)
      if (given.isClosed === true) return 'closed'
      return digest === sha256(good) ? 'known' : 'unknown'
    },
    answer: async (_token, answer) => {
      answers.push(answer)
      return { applied: true, message: 'Approved.' }
    },
    readFile: async () => undefined,
    follow: () => 'full',
  }
  const log = new MemoryLog()
  const routes = [apiRoute({ handlers, ownOrigin: given.ownOrigin })]
  const server = await createHttpServer({ listen: '127.0.0.1:0', routes, log })
  return {
    port: server.port,
    log,
    client: new ApiClient(server.port, good),
    stranger: new ApiClient(server.port, 'countersign_wrong'),
    answers,
    looks: () => looks,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A request as somebody writes it by hand; answers all that comes back. */
async function raw(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.on('close', () => resolve()).on('error', () => undefined)
  await promise
  return answer
}

describe('who gets in', () => {
  test('APPR-11 no token, a wrong one and one in another place are 401, in plain JSON, and nothing is read', async () => {
    await using place = await createPlace()
    const { client, stranger } = place
    const wrong: readonly (readonly [string, RequestInit])[] = [
      ['/v1/tool/approve', { headers: { Authorization: '' } }],
      ['/v1/tool/approve', { headers: { Authorization: 'Bearer' } }],
      ['/v1/tool/approve', { headers: { Authorization: good } }],
      ['/v1/tool/approve', { headers: { Authorization: `Basic ${btoa(`x:${good}`)}` } }],
      ['/v1/tool/approve', { headers: { Authorization: `Bearer ${good}, Bearer ${good}` } }],
      [
        `/v1/tool/approve?token=${good}`,
        { headers: { Authorization: 'x', Cookie: `token=${good}` } },
      ],
    ]
    for (const [path, init] of wrong) {
      const response = await client.request(path, { method: 'POST', body: 'not read', ...init })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(response.headers.get('connection')).toBe('close')
      expect(await response.json()).toEqual({
        error: 'a valid token is needed: Authorization: Bearer …',
        code: 'TOKEN_INVALID',
      })
    }
    for (const path of ['/v1/events', '/v1/tool/approvals/a/file', '/v1/anything']) {
      expect((await stranger.request(path)).status).toBe(401)
    }
    expect(place.answers).toEqual([])
    expect(place.log.lines.join('\n')).not.toContain('countersign_')
  })

  test('APPR-11 without any token there is nothing here', async () => {
    await using place = await createPlace({ isClosed: true })
    for (const path of ['/v1/events', '/v1/tool/approve']) {
      expect((await place.client.request(path)).status).toBe(404)
    }
  })

  test('APPR-11 REL-03 ten wrong tokens a minute from an address, however many come at once; a right one is not shut out', async () => {
    await using place = await createPlace()
    const { client, stranger } = place
    await client.request('/v1/anything')
    const before = place.looks()
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await stranger.request('/v1/events')).status),
    )
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    expect(place.looks() - before).toBe(10)
    const refused = await stranger.request('/v1/events')
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await client.approve(ids)).body.applied).toBe(true)
  })

  test('APPR-11 no page of another origin gets in, whatever token it holds, and none is told that it may', async () => {
    await using place = await createPlace({ ownOrigin: 'https://bot.example' })
    const pages: readonly Readonly<Record<string, string>>[] = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `http://127.0.0.1:${place.port}` },
      { Origin: 'https://bot.example.evil.example' },
      { Origin: 'https://bot.example', 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
    ]
    for (const headers of pages) {
      const reply = await place.client.post('/v1/tool/approve', ids, headers)
      expect([reply.status, reply.body]).toEqual([
        403,
        { error: 'pages of other origins may not use this', code: 'FOREIGN_PAGE' },
      ])
    }
    const preflight = await fetch(`http://127.0.0.1:${place.port}/v1/tool/approve`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    for (const name of preflight.headers.keys()) expect(name).not.toMatch(/^access-control/)
    expect([place.answers, place.looks()]).toEqual([[], 0])
    const own = { Origin: 'https://bot.example', 'Sec-Fetch-Site': 'same-origin' }
    expect((await place.client.post('/v1/tool/approve', ids, own)).status).toBe(200)
    expect(
      (await place.client.post('/v1/tool/approve', ids, { 'Sec-Fetch-Site': 'none' })).status,
    ).toBe(200)
  })

  test('APPR-11 where no public address is set, no page at all gets in', async () => {
    await using place = await createPlace()
    for (const headers of [
      { Origin: `http://127.0.0.1:${place.port}` },
      { 'Sec-Fetch-Site': 'same-origin' },
    ]) {
      expect((await place.client.post('/v1/tool/approve', ids, headers)).status).toBe(403)
    }
  })

  test('APPR-11 REL-02 what fails says nothing, and is logged without a token', async () => {
    await using place = await createPlace({ fails: true })
    const response = await place.client.request('/v1/events')
    expect([response.status, await response.text()]).toEqual([500, ''])
    expect(place.log.having('a route failed')).toHaveLength(1)
    expect(place.log.lines.join('\n')).not.toContain(good)
  })
})

describe('what is asked', () => {
  test('APPR-11 bodies of both procedures, as custom clients send them', async () => {
    await using place = await createPlace()
    const { client } = place
    await client.approve(ids)
    await client.approve({ ...ids, always: false })
    await client.approve({ ...ids, always: true })
    await client.deny(ids)
    await client.deny({ ...ids, feedback: ' \n ' })
    await client.deny({ ...ids, feedback: ' no ' })
    expect(place.answers.map(({ decision }) => decision)).toEqual([
      { kind: 'approve' },
      { kind: 'approve' },
      { kind: 'always' },
      { kind: 'deny' },
      { kind: 'deny' },
      { kind: 'deny', reason: 'no' },
    ])
    const reply = await client.post('/v1/tool/approve', ids, {
      'Content-Type': 'application/json; charset=UTF-8',
    })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    for (const name of reply.headers.keys())
      expect(name).not.toMatch(/^(?:access-control|set-cookie)/)
  })

  test.each([
    ['', 'the body: invalid_type'],
    ['{', 'the body: invalid_type'],
    ['[]', 'the body: invalid_type'],
    ['null', 'the body: invalid_type'],
    ['{}', 'sessionId: invalid_type; approvalId: invalid_type'],
    ['{"sessionId":"s","approvalId":"a","always":"true"}', 'always: invalid_type'],
    ['{"sessionId":"s","approvalId":"a","always":null}', 'always: invalid_type'],
    ['{"sessionId":"s","approvalId":["a"]}', 'approvalId: invalid_type'],
    ['{"sessionId":"","approvalId":"a"}', 'sessionId: too_small'],
    [`{"sessionId":"s","approvalId":"${'a'.repeat(201)}"}`, 'approvalId: too_big'],
    ['{"sessionId":"s","approvalId":"a","feedback":"x"}', 'the body: an unknown field'],
    [
      '{"sessionId":"s","approvalId":"a","__proto__":{"always":true}}',
      'the body: an unknown field',
    ],
    ['{"sessionId":"s","approvalId":"a","constructor":1}', 'the body: an unknown field'],
  ])('APPR-11 tool.approve refuses %j', async (body, error) => {
    await using place = await createPlace()
    const reply = await place.client.post('/v1/tool/approve', body)
    expect([reply.status, reply.body]).toEqual([400, { error, code: 'BODY_INVALID' }])
    expect(place.answers).toEqual([])
  })

  test.each([
    ['{"sessionId":"s","approvalId":"a","always":true}', 'the body: an unknown field'],
    [`{"sessionId":"s","approvalId":"a","feedback":"${'x'.repeat(4_001)}"}`, 'feedback: too_big'],
    ['{"sessionId":"s","approvalId":"a","feedback":{}}', 'feedback: invalid_type'],
  ])('APPR-11 tool.deny refuses what is wrong (%#)', async (body, error) => {
    await using place = await createPlace()
    const reply = await place.client.post('/v1/tool/deny', body)
    expect([reply.status, reply.body]).toEqual([400, { error, code: 'BODY_INVALID' }])
  })

  test('APPR-11 bodies of another type, encoded or too large are refused', async () => {
    await using place = await createPlace()
    const { client, port } = place
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'application/json; charset=utf-16',
      '',
    ]) {
      const headers = { 'Content-Type': type }
      expect((await client.post('/v1/tool/approve', ids, headers)).status).toBe(415)
    }
    const packed = { 'Content-Encoding': 'gzip' }
    expect((await client.post('/v1/tool/approve', ids, packed)).status).toBe(415)
    const long = JSON.stringify({ ...ids, padding: 'x'.repeat(70_000) })
    expect((await client.post('/v1/tool/approve', long)).status).toBe(413)
    const head = `POST /v1/tool/approve HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${good}\r\nContent-Type: application/json\r\n`
    const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`
    expect(await raw(port, chunked)).toMatch(/^HTTP\/1\.1 413 /)
    const both = `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
    expect(await raw(port, both)).toMatch(/^HTTP\/1\.1 400 /)
    expect(place.answers).toEqual([])
  })

  test('APPR-11 other methods and paths have nothing', async () => {
    await using place = await createPlace()
    for (const [method, path] of [
      ['GET', '/v1/tool/approve'],
      ['PUT', '/v1/tool/approve'],
      ['POST', '/v1/events'],
      ['POST', '/v1/tool/approve/'],
      ['GET', '/v1/tool/approvals//file'],
    ] as const) {
      expect((await place.client.request(path, { method })).status).toBe(404)
    }
    expect(place.answers).toEqual([])
  })

  test('APPR-11 whatever is sent, nothing but a well-formed answer reaches the product', async () => {
    await using place = await createPlace()
    const field = fc.oneof(
      fc.constantFrom('sessionId', 'approvalId', 'always', 'feedback'),
      fc.string(),
    )
    const body = fc.oneof(
      fc.dictionary(field, fc.jsonValue(), { maxKeys: 5 }).map((value) => JSON.stringify(value)),
      fc
        .record(
          { sessionId: fc.string(), approvalId: fc.string(), always: fc.jsonValue() },
          { requiredKeys: ['sessionId'] },
        )
        .map((value) => JSON.stringify(value)),
      fc.string({ unit: anyCharacter }),
      fc.json(),
    )
    const path = fc.constantFrom('/v1/tool/approve', '/v1/tool/deny')
    await fc.assert(
      fc.asyncProperty(path, body, async (where, text) => {
        const before = place.answers.length
        const { status, body: reply } = await place.client.post(where, text)
        const taken = place.answers.slice(before)
        expect(taken.length).toBe(status === 200 ? 1 : 0)
        if (status !== 200) expect([status, typeof reply.error]).toEqual([400, 'string'])
        for (const { sessionId, approvalId, decision } of taken) {
          expect([typeof sessionId, typeof approvalId]).toEqual(['string', 'string'])
          const kinds = where.endsWith('deny') ? ['deny'] : ['approve', 'always']
          expect(kinds).toContain(decision.kind)
        }
      }),
      { numRuns: 100 },
    )
  })
})
