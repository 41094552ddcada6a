import { z } from 'zod'

const bodySchema = z.looseObject({ prompt_cache_key: z.string().optional() })

/** For servers that refuse fields they do not know: the cache key is left out once one refused it by name. */
export function withOptionalCacheKey(inner: typeof fetch): typeof fetch {
  let refused = false
  return async (input, init) => {
    if (refused) return await inner(input, withoutCacheKey(init))
    const answer = await inner(input, init)
    if (answer.status !== 400 && answer.status !== 422) return answer
    const text = await answer.text()
    if (!text.includes('prompt_cache_key')) return new Response(text, answer)
    refused = true
    return await inner(input, withoutCacheKey(init))
  }
}

function withoutCacheKey(init: RequestInit | undefined): RequestInit {
  if (typeof init?.body !== 'string') return { ...init }
  const { prompt_cache_key: _, ...rest } = bodySchema.parse(JSON.parse(init.body))
  return { ...init, body: JSON.stringify(rest) }
}
