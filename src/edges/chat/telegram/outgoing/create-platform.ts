import type { Api } from 'grammy'
import type { ChatPlatform, LiveStage } from '../../../../ports/chat.ts'
import type { Log } from '../../../../util/log.ts'
import { createDelivery } from './deliver.ts'
import type { LivePace } from './live/live-pace.ts'
import { createLiveView } from './live/live-view.ts'
import { parsePlace } from './place.ts'
import { createSender } from './sender.ts'

export interface TelegramPlatformOptions {
  /** With a time-out of its own; a poller needs another one. */
  readonly api: Api
  readonly stage: LiveStage
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly pace?: LivePace
}

/** Telegram, as what goes out sees it. */
export function createTelegramPlatform(
  options: TelegramPlatformOptions,
): ChatPlatform & AsyncDisposable {
  const { api, now = Date.now } = options
  const live = createLiveView(options)
  const sender = createSender(api)
  return {
    name: 'telegram',
    deliver: createDelivery({ api, live, now }),
    live: (place, event) => live.live(place, event),
    retract: async (name, messageId) => {
      const place = parsePlace(name)
      if (place !== undefined) await sender.remove(place, messageId)
    },
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  }
}
