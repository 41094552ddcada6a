import { Hono } from 'hono'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { readBody } from './read-body.ts'

/** Takes one update; `read` answers its JSON, undefined when it is none, and is asked only of who may call. */
export type TelegramHandler = (
  secretHeader: string | undefined,
  read: () => Promise<unknown>,
) => Promise<{ readonly status: 200 | 400 | 401 | 503 }>

const largestBodyBytes = 1_048_576

/** Where Telegram brings updates in webhook mode. Nothing of a body is read before its sender is known. */
export function telegramRoute(handle: TelegramHandler): Hono {
  const route = new Hono()
  route.post('/telegram/webhook', async (context) => {
    const secret = context.req.header('X-Telegram-Bot-Api-Secret-Token')
    const { status } = await handle(secret, async () =>
      tryParseJson(await readBody(context.req.raw, largestBodyBytes)),
    )
    // Whoever is refused may still be sending.
    if (status === 401) context.header('Connection', 'close')
    return context.body(null, status)
  })
  return route
}
