import type { ChatPlatform, TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { LivePace } from '../live/live-pace.ts'
import { createLiveView } from '../live/live-view.ts'
import { createDelivery } from './deliver.ts'
import type { Messenger } from './messenger.ts'

export interface PlatformOptions<Drawn> {
  readonly messenger: Messenger<Drawn>
  readonly lock: TransientMessageLock
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly pace?: LivePace
}

/** Creates the chat port's outgoing side for a platform with editable messages. */
export function createPlatform<Drawn>(
  name: string,
  options: PlatformOptions<Drawn>,
): ChatPlatform & AsyncDisposable {
  const { messenger, now = Date.now } = options
  const live = createLiveView(options)
  return {
    name,
    deliver: createDelivery({ messenger, live, now }),
    live: (place, event, askedBy) => live.live(place, event, askedBy),
    retract: async (place, messageId) => {
      if (messenger.chatOf(place) !== undefined) await messenger.remove(place, messageId)
    },
    [Symbol.asyncDispose]: async () => {
      await live[Symbol.asyncDispose]()
      await messenger.close?.()
    },
  }
}
