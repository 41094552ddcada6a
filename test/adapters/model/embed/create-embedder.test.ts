import { describe, expect, test } from 'vitest'
import {
  cachingEmbedder,
  createEmbedder,
} from '../../../../src/adapters/model/embed/create-embedder.ts'
import type { Embedder } from '../../../../src/ports/embedder.ts'
import { createJsonServer, type JsonAnswer, type JsonRequest } from '../json-server.ts'

const { signal } = new AbortController()
const key = 'sk-very-secret-key'

/** A vector that says how long a text is. */
const vectorOf = (text: string) => [text.length, 1]

const answers = {
  openai: ({ path, body }: JsonRequest): JsonAnswer | undefined => {
    if (path !== '/v1/embeddings') return undefined
    const data = body.input.map((text: string, index: number) => ({
      index,
      embedding: vectorOf(text),
    }))
    return { body: { data: data.toReversed() } }
  },
  ollama: ({ path, body }: JsonRequest): JsonAnswer | undefined =>
    path === '/api/embed' ? { body: { embeddings: body.input.map(vectorOf) } } : undefined,
} as const

function embedderAt(baseUrl: string, provider: 'openai' | 'ollama' = 'openai'): Embedder {
  const embedder = createEmbedder({ provider, name: 'embed-1', apiKey: key, baseUrl })
  if (embedder === undefined) throw new Error('no embedder')
  return embedder
}

describe.each(['openai', 'ollama'] as const)('%s', (provider) => {
  test.each(['', '/', '/v1', '/v1/'])(
    'SCH-02 CONF-03 gives a vector a text, in their order, by a base URL that ends in "%s"',
    async (suffix) => {
      await using server = await createJsonServer(answers[provider])
      const embedder = embedderAt(`${server.url}${suffix}`, provider)
      expect(await embedder.embed(['a', 'bcd', 'ef'], signal)).toEqual([
        [1, 1],
        [3, 1],
        [2, 1],
      ])
      expect(server.requests).toMatchObject([
        { authorization: `Bearer ${key}`, body: { model: 'embed-1', input: ['a', 'bcd', 'ef'] } },
      ])
    },
  )

  test.each<[string, JsonAnswer]>([
    ['fails', { status: 503, body: { error: { message: `no, ${key}` } } }],
    ['redirects', { status: 302 }],
    ['answers something else', { body: { data: 'none', embeddings: {} } }],
    ['answers no JSON', { body: '<html>' }],
    ['answers too few', { body: { data: [{ embedding: [1] }], embeddings: [[1]] } }],
    [
      'answers vectors of two lengths',
      { body: { data: [{ embedding: [1] }, { embedding: [1, 2] }], embeddings: [[1], [1, 2]] } },
    ],
    [
      'answers what is no number',
      { body: { data: [{ embedding: [null] }, { embedding: [1] }], embeddings: [[null], [1]] } },
    ],
  ])('SCH-02 rejects when the provider %s, and says nothing secret', async (_what, answer) => {
    await using server = await createJsonServer(() => answer)
    const failed = embedderAt(server.url, provider).embed(['one', 'two'], signal)
    const error = await failed.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain(key)
  })
})

test('SCH-02 a server whose protocol has no version segment is asked where it is', async () => {
  await using server = await createJsonServer((request) =>
    answers.openai({ ...request, path: request.path.replace(/^\/embeddings$/, '/v1/embeddings') }),
  )
  await using plain = await createJsonServer((request) =>
    request.path === '/embeddings'
      ? answers.openai({ ...request, path: '/v1/embeddings' })
      : undefined,
  )
  for (const { url } of [server, plain]) {
    expect(await embedderAt(url).embed(['ab'], signal)).toEqual([[2, 1]])
  }
})

test('SCH-02 a provider without embeddings has none', () => {
  expect(createEmbedder({ provider: 'anthropic', name: 'x' })).toBeUndefined()
  expect(createEmbedder({ provider: 'offline', name: 'x' })).toBeUndefined()
})

test('SCH-02 the signal ends a wait', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await using server = await createJsonServer(() => promise)
  const waiting = embedderAt(server.url).embed(['a'], AbortSignal.timeout(50))
  await expect(waiting).rejects.toThrow()
  resolve(undefined)
})

describe('what is remembered', () => {
  function counting(fails: (asked: number) => boolean = () => false) {
    const asked: string[][] = []
    const inner: Embedder = {
      name: 'counting',
      embed: async (texts) => {
        asked.push([...texts])
        if (fails(asked.length)) throw new Error('no')
        return texts.map(vectorOf)
      },
    }
    return { asked, embedder: cachingEmbedder(inner) }
  }

  test('SCH-02 the same text is asked for once, also within one request', async () => {
    const { asked, embedder } = counting()
    expect(await embedder.embed(['a', 'bb', 'a'], signal)).toEqual([
      [1, 1],
      [2, 1],
      [1, 1],
    ])
    expect(await embedder.embed(['ccc', 'bb'], signal)).toEqual([
      [3, 1],
      [2, 1],
    ])
    expect(asked).toEqual([['a', 'bb'], ['ccc']])
  })

  test('SCH-02 many texts go in parts, and a part that came is kept when the next one fails', async () => {
    const { asked, embedder } = counting((time) => time === 2)
    const texts = Array.from({ length: 40 }, (_, at) => 'x'.repeat(at + 1))
    await expect(embedder.embed(texts, signal)).rejects.toThrow('no')
    expect(await embedder.embed(texts, signal)).toEqual(texts.map(vectorOf))
    expect(asked.map(({ length }) => length)).toEqual([32, 8, 8])
  })

  test('SCH-02 what was used last stays, however many messages pass', async () => {
    const { asked, embedder } = counting()
    for (let message = 0; message < 2_500; message++) {
      await embedder.embed(['a tool', `message ${message}`], signal)
    }
    expect(asked.flat().filter((text) => text === 'a tool')).toHaveLength(1)
    await embedder.embed(['message 1'], signal)
    expect(asked.at(-1)).toEqual(['message 1'])
  })
})
