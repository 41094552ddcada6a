import { z } from 'zod'
import type { Embedder } from '../../../ports/embedder.ts'
import { sha256 } from '../../../util/digest.ts'
import { createVersionedFetch, parseBaseUrl, reconnectingFetch, withVersion } from '../base-url.ts'
import type { ModelSettings } from '../model-settings.ts'
import { ollamaApiUrl } from '../ollama/ask-ollama.ts'
import { postJson } from '../post-json.ts'

const vector = z.array(z.number()).min(1)

/** Entries for tool descriptions and recent messages; a vector takes about 10 KB. */
const mostRemembered = 2_000

/** Some servers accept no larger batch, and finished batches stay cached if time runs out. */
const textsAtOnce = 32

/** Settings of an embedder; `name` is the embedding model's. */
type EmbedderSettings = Pick<ModelSettings, 'provider' | 'name' | 'apiKey' | 'baseUrl'>

/**
 * Creates the provider's embedder without calling it; undefined if the provider has none. Throws ModelError `refused` for an
 * unusable base URL.
 */
export function createEmbedder(settings: EmbedderSettings): Embedder | undefined {
  const { provider } = settings
  switch (provider) {
    case 'openai':
      return cachingEmbedder(openAiEmbedder(settings))
    case 'ollama':
      return cachingEmbedder(ollamaEmbedder(settings))
    default:
      return undefined
  }
}

const openAiAnswer = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: vector })),
})

/** OpenAI's `/v1/embeddings` and compatible servers. */
function openAiEmbedder({ name, apiKey, baseUrl }: EmbedderSettings): Embedder {
  const base = parseBaseUrl(baseUrl || 'https://api.openai.com/v1', 'OPENAI_BASE_URL')
  return embedOverHttp({
    name,
    apiKey,
    url: `${withVersion(base)}/embeddings`,
    fetch: createVersionedFetch(base, 'OPENAI_BASE_URL'),
    body: (input) => ({ model: name, input, encoding_format: 'float' }),
    vectors: (answer) => {
      const items = openAiAnswer.parse(answer).data
      const placed = items.map(({ index, embedding }, at) => ({ place: index ?? at, embedding }))
      return placed.sort((a, b) => a.place - b.place).map(({ embedding }) => embedding)
    },
  })
}

const ollamaAnswer = z.object({ embeddings: z.array(vector) })

/** Ollama's `/api/embed`, which truncates texts that are too long for the model. */
function ollamaEmbedder({ name, apiKey, baseUrl }: EmbedderSettings): Embedder {
  return embedOverHttp({
    name,
    apiKey,
    url: `${ollamaApiUrl(baseUrl)}/embed`,
    fetch: reconnectingFetch,
    body: (input) => ({ model: name, input }),
    vectors: (answer) => ollamaAnswer.parse(answer).embeddings,
  })
}

type Vector = readonly number[]

/** Caches embeddings by hash of the text, least recently used first out: a tool's description is embedded once per process. */
export function cachingEmbedder(inner: Embedder): Embedder {
  const known = new Map<string, Vector>()
  return {
    name: inner.name,
    async embed(texts, signal) {
      const keys = texts.map((text) => sha256(text))
      const found = new Map<string, Vector>()
      const missing = new Map<string, string>()
      for (const [at, key] of keys.entries()) {
        const vector = known.get(key)
        if (vector === undefined) missing.set(key, texts[at] ?? '')
        else remember(known, found, key, vector)
      }
      const entries = [...missing]
      for (let start = 0; start < entries.length; start += textsAtOnce) {
        const part = entries.slice(start, start + textsAtOnce)
        const vectors = await inner.embed(
          part.map(([, text]) => text),
          signal,
        )
        for (const [at, [key]] of part.entries()) remember(known, found, key, vectors[at] ?? [])
      }
      return keys.map((key) => found.get(key) ?? [])
    },
  }
}

function remember(
  known: Map<string, Vector>,
  found: Map<string, Vector>,
  key: string,
  vector: Vector,
): void {
  found.set(key, vector)
  known.delete(key)
  known.set(key, vector)
  const [oldest] = known.keys()
  if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest)
}

/** One protocol's request for embeddings and the way to read its answer. */
interface EmbeddingProtocol {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  body(texts: readonly string[]): unknown
  /** Throws if the answer has an unexpected shape. */
  vectors(answer: unknown): readonly (readonly number[])[]
}

/** Creates an embedder for one endpoint. Its errors are one line, without key, request or answer. */
function embedOverHttp(protocol: EmbeddingProtocol): Embedder {
  const { name, url, apiKey } = protocol
  return {
    name,
    async embed(texts, signal) {
      const response = await postJson(protocol.fetch, url, {
        body: protocol.body(texts),
        apiKey,
        signal,
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw new Error(`the provider answered ${response.status}`)
      }
      return checked(readVectors(protocol, await response.json()), texts.length)
    },
  }
}

function readVectors(protocol: EmbeddingProtocol, answer: unknown) {
  try {
    return protocol.vectors(answer)
  } catch (cause) {
    throw new Error('the answer of the provider holds no embeddings', { cause })
  }
}

function checked(vectors: readonly (readonly number[])[], texts: number) {
  if (vectors.length !== texts) {
    throw new Error(`the provider gave ${vectors.length} embeddings for ${texts} texts`)
  }
  if (new Set(vectors.map(({ length }) => length)).size > 1) {
    throw new Error('the embeddings of the provider differ in length')
  }
  return vectors
}
