import { z } from 'zod'
import type { Embedder } from '../../../ports/embedder.ts'
import { postJson } from '../post-json.ts'

/** How one protocol asks for embeddings, and where they stand in its answer. */
export interface EmbeddingProtocol {
  readonly name: string
  readonly url: string
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
  body(texts: readonly string[]): unknown
  /** Throws when the answer has another shape. */
  vectors(answer: unknown): readonly (readonly number[])[]
}

export const vector = z.array(z.number()).min(1)

/** An embedder over one endpoint. Its errors say what went wrong in one line, without key, request or answer. */
export function embedOverHttp(protocol: EmbeddingProtocol): Embedder {
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
