import type { Hono } from 'hono'
import { type TelegramHandler, telegramRoute } from '../adapters/http/telegram-route.ts'

/**
 * The webhook endpoint for Telegram. The route exists from the start, as a server's routes are fixed; it is open while Telegram
 * is served.
 */
export interface TelegramWebhook {
  readonly route: Hono
  /** Passes updates to `handle` until disposed. */
  open(handle: TelegramHandler): Disposable
}

/** While closed it answers 503, so that Telegram sends its updates again. */
export function createTelegramWebhook(): TelegramWebhook {
  let handler: TelegramHandler | undefined
  return {
    route: telegramRoute(async (secret, read) => handler?.(secret, read) ?? { status: 503 }),
    open: (handle) => {
      handler = handle
      return {
        [Symbol.dispose]: () => {
          handler = undefined
        },
      }
    },
  }
}
