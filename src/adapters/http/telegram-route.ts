import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** Handles one update. `read` parses its JSON (undefined if malformed) and is called only after the caller was authenticated. */
export type TelegramHandler = (
  secretHeader: string | undefined,
  read: () => Promise<unknown>,
) => Promise<{ readonly status: 200 | 400 | 401 | 503 }>

const largestBodyBytes = 1_048_576

/** The webhook endpoint for Telegram updates. No body is read before the sender is authenticated. */
export function telegramRoute(handle: TelegramHandler): Hono {
  const route = new Hono()
  route.post('/telegram/webhook', async (context) => {
    const secret = context.req.header('X-Telegram-Bot-Api-Secret-Token')
    const { status } = await handle(secret, async () =>
      tryParseJson(await readBody(context.req.raw, largestBodyBytes)),
    )
    // A refused client may still be sending its body.
    if (status === 401) context.header('Connection', 'close')
    return context.body(null, status)
  })
  return route
}

/**
 * Reads a request body as text; undefined if it exceeds `maxBytes`, and the rest is discarded. Rejects with an `HTTPException`
 * 400 when the body is truncated or wrongly framed, which is the client's fault.
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
