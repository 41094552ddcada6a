import type { LiveEvent, Outgoing, TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { Messenger } from '../outgoing/messenger.ts'
import { ChatPacing } from './chat-pacing.ts'
import { ConversationView, isAboutToRun } from './conversation-view.ts'
import { defaultPace, type LivePace } from './live-pace.ts'
import { createLiveScreen } from './live-screen.ts'
import type { LiveContext } from './running-card.ts'

/** Shows transient messages while turns run. They may be lost; no method fails. */
export interface LiveView extends AsyncDisposable {
  /** Number of conversations with state. */
  readonly size: number
  live(place: string, event: LiveEvent, askedBy?: string): void
  /** Ends whatever the delivered durable message replaces. */
  onDelivered(place: string, message: Outgoing, messageId: string): void
  /** Records that the API asked to wait: in the chat, or with calls of the same kind (`isOfMethod`). */
  onBusy(place: string, waitMs: number, isOfMethod?: boolean): void
  /** Remaining time for which the API asked to leave the chat alone, in milliseconds. */
  busyMs(place: string): number
}

export interface LiveViewOptions<Drawn> {
  readonly messenger: Messenger<Drawn>
  readonly lock: TransientMessageLock
  readonly log: Log
  readonly now?: () => number
  readonly pace?: LivePace
  /** Maximum number of conversations with state; the least recently active one is dropped first. */
  readonly maxConversations?: number
}

export function createLiveView<Drawn>(options: LiveViewOptions<Drawn>): LiveView {
  const {
    messenger,
    lock,
    log,
    now = Date.now,
    pace = defaultPace,
    maxConversations = 1_000,
  } = options
  const ending = new AbortController()
  const pacing = new ChatPacing(pace, now)
  const screen = createLiveScreen(messenger)
  const operations: LiveContext['operations'] = new Set()
  const ended = ending.signal
  const context: LiveContext = { screen, lock, log, now, pace, pacing, ended, operations }
  const places = new Map<string, ConversationView>()

  const end = (name: string, place: ConversationView): void => {
    places.delete(name)
    place.stop()
  }
  const placeAt = (name: string): ConversationView | undefined => {
    const chat = screen.chatOf(name)
    if (chat === undefined || ending.signal.aborted) return undefined
    const place = places.get(name) ?? new ConversationView(context, { place: name, chat })
    places.delete(name)
    places.set(name, place)
    const [oldest] = places
    if (places.size > maxConversations && oldest !== undefined) end(...oldest)
    return place
  }

  return {
    get size() {
      return places.size
    },
    live: (name, event, askedBy) => placeAt(name)?.take(event, askedBy),
    onDelivered: (name, message, messageId) => {
      if (places.has(name) || hasTransientContent(message))
        placeAt(name)?.delivered(message, messageId)
    },
    onBusy: (name, waitMs, isOfMethod) => {
      const chat = screen.chatOf(name)
      if (chat !== undefined) pacing.backOff(chat, waitMs, isOfMethod)
    },
    busyMs: (name) => {
      const chat = screen.chatOf(name)
      return chat === undefined ? 0 : Math.max(0, pacing.blockedUntil(chat) - now())
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      for (const [name, place] of places) end(name, place)
      await Promise.all(operations)
    },
  }
}

function hasTransientContent(message: Outgoing): boolean {
  if (message.kind !== 'card' && message.kind !== 'card_update') return false
  const { status } = message.card
  return status.kind === 'running' || isAboutToRun(status)
}
