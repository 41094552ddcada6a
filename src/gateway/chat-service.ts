import type { Config } from '../config/config.ts'
import type { Log } from '../util/log.ts'
import type { GatewaySide } from './gateway-side.ts'
import type { TelegramDoor } from './telegram-door.ts'

/** A platform that is served until it is disposed. */
export interface ServedChat extends AsyncDisposable {
  /** Settles when nothing is received any more: rejects when the platform refuses a token. */
  readonly received: Promise<void>
}

export interface ServeOptions {
  readonly gateway: GatewaySide
  readonly config: Config
  readonly log: Log
  /** Where Telegram calls us. */
  readonly door: TelegramDoor
  /** Says a line to the operator who watches the process. */
  readonly say: (line: string) => void
}

/** A chat platform that a gateway can serve. */
export interface ChatService {
  /** As ids of callers and the sections of the configuration begin with it. */
  readonly name: string
  readonly title: string
  /** Whether the configuration has all that it takes. */
  readonly isConfigured: (config: Config) => boolean
  /** Loads the platform's SDK, and only then, and serves it. */
  readonly serve: (options: ServeOptions) => Promise<ServedChat>
  /** Names of the errors that tell an operator what to fix. */
  readonly refusals: readonly string[]
}
