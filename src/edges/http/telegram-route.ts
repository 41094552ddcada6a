import { Hono } from 'hono'

/** Takes one update; `body` is undefined when it was no JSON. */
export type TelegramHandler = (
  secretHeader: string | undefined,
  body: unknown,
) => Promise<{ readonly status: 200 | 400 | 401 | 503 }>

/** Where Telegram brings updates in webhook mode. */
export function telegramRoute(handle: TelegramHandler): Hono {
  const route = new Hono()
  route.post('/telegram/webhook', async (context) => {
    const secret = context.req.header('X-Telegram-Bot-Api-Secret-Token')
    const { status } = await handle(secret, parsed(await context.req.text()))
    return context.body(null, status)
  })
  return route
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
