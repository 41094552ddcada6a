import type { LiveEvent, Outgoing, TransientMessageLock } from '../../../ports/chat.ts'
import type { Log } from '../../../util/log.ts'
import type { Messenger } from '../outgoing/messenger.ts'
import { isBegun } from './begun-cards.ts'
import { ChatPacing } from './chat-pacing.ts'
import type { LiveContext } from './live-context.ts'
import { defaultPace, type LivePace } from './live-pace.ts'
import { LivePlace } from './live-place.ts'
import { createLiveScreen } from './live-screen.ts'

/** Shows what passes while turns run. All of it may be lost; none of it ever fails. */
export interface LiveView extends AsyncDisposable {
  /** Conversations that something is kept of. */
  readonly size: number
  live(place: string, event: LiveEvent, askedBy?: string): void
  /** A durable message went: what is in its way ends. */
  onDelivered(place: string, message: Outgoing, messageId: string): void
  /** The API asked to wait with a durable message: in its chat, or with calls like its own (`isOfMethod`). */
  onBusy(place: string, waitMs: number, isOfMethod?: boolean): void
  /** For how long the API asked to leave this chat alone. */
  busyMs(place: string): number
}

export interface LiveViewOptions<Drawn> {
  readonly messenger: Messenger<Drawn>
  readonly stage: TransientMessageLock
  readonly log: Log
  readonly now?: () => number
  readonly pace?: LivePace
  /** Conversations that are kept; the one that was quiet for longest goes first. */
  readonly maxPlaces?: number
}

export function createLiveView<Drawn>(options: LiveViewOptions<Drawn>): LiveView {
  const { messenger, stage, log, now = Date.now, pace = defaultPace, maxPlaces = 1_000 } = options
  const ending = new AbortController()
  const pacing = new ChatPacing(pace, now)
  const screen = createLiveScreen(messenger)
  const underWay: LiveContext['underWay'] = new Set()
  const ended = ending.signal
  const context: LiveContext = { screen, stage, log, now, pace, pacing, ended, underWay }
  const places = new Map<string, LivePlace>()

  const end = (name: string, place: LivePlace): void => {
    places.delete(name)
    place.stop()
  }
  const placeAt = (name: string): LivePlace | undefined => {
    const chat = screen.chatOf(name)
    if (chat === undefined || ending.signal.aborted) return undefined
    const place = places.get(name) ?? new LivePlace(context, { place: name, chat })
    places.delete(name)
    places.set(name, place)
    const [oldest] = places
    if (places.size > maxPlaces && oldest !== undefined) end(...oldest)
    return place
  }

  return {
    get size() {
      return places.size
    },
    live: (name, event, askedBy) => placeAt(name)?.take(event, askedBy),
    onDelivered: (name, message, messageId) => {
      if (places.has(name) || startsSomething(message)) placeAt(name)?.delivered(message, messageId)
    },
    onBusy: (name, waitMs, isOfMethod) => {
      const chat = screen.chatOf(name)
      if (chat !== undefined) pacing.obey(chat, waitMs, isOfMethod)
    },
    busyMs: (name) => {
      const chat = screen.chatOf(name)
      return chat === undefined ? 0 : Math.max(0, pacing.blockedUntil(chat) - now())
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      for (const [name, place] of places) end(name, place)
      await Promise.all(underWay)
    },
  }
}

function startsSomething(message: Outgoing): boolean {
  if (message.kind !== 'card' && message.kind !== 'card_update') return false
  const { status } = message.card
  return status.kind === 'running' || isBegun(status)
}
