import type { MiddlewareHandler } from 'hono'

/**
 * Answers 413 to a body above `maxBytes`. hono's own does not work here: where the length is not told beforehand it
 * needs a global `Request` that the server has replaced for the whole process.
 */
export function limitBody(maxBytes: number): MiddlewareHandler {
  return async (context, next) => {
    const { raw } = context.req
    // Node takes no more of a body than this header tells, and refuses what has both headers.
    if (Number(raw.headers.get('content-length') ?? 0) > maxBytes) return context.body(null, 413)
    if (raw.body !== null && raw.headers.has('transfer-encoding')) {
      const body = await readUpTo(raw.body, maxBytes)
      if (body === undefined) return context.body(null, 413)
      const { method, headers, signal } = raw
      context.req.raw = new Request(raw.url, { method, headers, signal, body })
    }
    await next()
    return undefined
  }
}

async function readUpTo(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
