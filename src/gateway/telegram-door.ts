import type { Hono } from 'hono'
import { type TelegramHandler, telegramRoute } from '../adapters/http/telegram-route.ts'

/** Where Telegram calls, in webhook mode: there from the start, since a server's routes are; open while it is served. */
export interface TelegramDoor {
  readonly route: Hono
  /** Hands what comes to `handle` until disposed. */
  open(handle: TelegramHandler): Disposable
}

/** A closed door answers 503, so that Telegram brings its updates again. */
export function createTelegramDoor(): TelegramDoor {
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
