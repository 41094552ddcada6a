import type { Embedder } from '../../../ports/embedder.ts'
import { sha256 } from '../../../util/sha256.ts'

/** Descriptions of tools, and the last messages; a vector has some 10 KB. */
const mostRemembered = 2_000

/** Some servers take no more at once; and what was learnt before time ran out is known the next time. */
const textsAtOnce = 32

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
