import { HTTPException } from 'hono/http-exception'

/**
 * Text of a request's body; undefined when it is above `maxBytes`, of which no more is kept. Rejects with an `HTTPException` of 400
 * when the body breaks off or is framed wrongly, which is the client's fault.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined
  if (request.body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body) {
      bytes += chunk.length
      if (bytes > maxBytes) return undefined
      chunks.push(chunk)
    }
  } catch (cause) {
    throw new HTTPException(400, { message: 'the body broke off', cause })
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
