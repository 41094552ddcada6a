import { z } from 'zod'
import type { Embedder } from '../../../ports/embedder.ts'
import { sha256 } from '../../../util/sha256.ts'
import { createVersionedFetch, parseBaseUrl, withVersion } from '../base-url.ts'
import type { ModelSettings } from '../model-settings.ts'
import { ollamaApiUrl } from '../ollama/ollama-api-url.ts'
import { reconnectingFetch } from '../reconnecting-fetch.ts'
import { embedOverHttp, vector } from './embed-over-http.ts'

/** Descriptions of tools, and the last messages; a vector has some 10 KB. */
const mostRemembered = 2_000

/** Some servers take no more at once; and what was learnt before time ran out is known the next time. */
const textsAtOnce = 32

/** What it takes to build an embedder; `name` is that of the model for embeddings. */
export type EmbedderSettings = Pick<ModelSettings, 'provider' | 'name' | 'apiKey' | 'baseUrl'>

/**
 * The provider's embeddings; undefined: this provider has none. Throws ModelError `refused` when the base URL cannot work; nothing
 * is asked of the provider yet.
 */
export function createEmbedder(settings: EmbedderSettings): Embedder | undefined {
  const { provider } = settings
  switch (provider) {
    case 'openai':
      return rememberingEmbedder(openAiEmbedder(settings))
    case 'ollama':
      return rememberingEmbedder(ollamaEmbedder(settings))
    default:
      return undefined
  }
}

const openAiAnswer = z.object({
  data: z.array(z.object({ index: z.number().int().optional(), embedding: vector })),
})

/** OpenAI's `/v1/embeddings`, and everything that speaks it. */
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

/** Ollama's `/api/embed`, which cuts texts that are too long for its model. */
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

/** Remembers what texts came to, by their hashes, those used last the longest: a tool's description is asked for once a process. */
export function rememberingEmbedder(inner: Embedder): Embedder {
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
