import type { Config } from '../config/config.ts'
import type { Log } from '../util/log.ts'
import type { PlatformGateway } from './gateway-side.ts'
import type { TelegramWebhook } from './telegram-webhook.ts'

/** A platform being served, until disposed. */
export interface ServedChat extends AsyncDisposable {
  /** Settles when receiving has ended; rejects when the platform refuses a token. */
  readonly received: Promise<void>
}

export interface ServeOptions {
  readonly gateway: PlatformGateway
  readonly config: Config
  readonly log: Log
  /** The Telegram webhook endpoint. */
  readonly telegramWebhook: TelegramWebhook
  /** Prints a line for the operator. */
  readonly printLine: (line: string) => void
}

/** A chat platform that a gateway can serve. */
export interface ChatService {
  /** The prefix of caller ids and the name of the configuration section. */
  readonly name: string
  readonly title: string
  /** Whether the configuration is complete for this platform. */
  readonly isConfigured: (config: Config) => boolean
  /** Loads the platform's SDK only now, and starts serving. */
  readonly serve: (options: ServeOptions) => Promise<ServedChat>
  /** Names of errors whose message tells an operator what to fix. */
  readonly refusals: readonly string[]
}
