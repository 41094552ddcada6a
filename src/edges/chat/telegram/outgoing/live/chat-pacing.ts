import { isPrivate, type Place } from '../place.ts'
import type { LivePace } from './live-pace.ts'

interface ChatState {
  isBusy: boolean
  readyAt: number
  blockedUntil: number
  /** Who was told to come later, in the order of asking. */
  readonly line: Set<string>
}

const maxChats = 2_000
const maxLine = 100
/** So many requests to wait within the span mean that it is not one chat that is too loud. */
const loudCount = 3
const loudSpanMs = 30_000

/**
 * When passing traffic may go to a chat. Limits are the chat's, so all topics of a forum share them; and the API may ask
 * to wait (429), which passing traffic does at once, since what is durable has to wait as well.
 */
export class ChatPacing {
  readonly #chats = new Map<number, ChatState>()
  readonly #pace: LivePace
  readonly #now: () => number
  #asked: number[] = []
  #silentUntil = 0

  constructor(pace: LivePace, now: () => number) {
    this.#pace = pace
    this.#now = now
  }

  /** The time until which the API asked to leave the chat alone. */
  blockedUntil({ chatId }: Place): number {
    return this.#chats.get(chatId)?.blockedUntil ?? 0
  }

  /** The time from which the chat may be sent anything passing at all. */
  openAt({ chatId }: Place): number {
    return Math.max(this.#silentUntil, this.#chats.get(chatId)?.blockedUntil ?? 0)
  }

  /**
   * The time at which `who` may come back, or none: now. Those who wait go in the order in which they first asked; whoever
   * does not come for half a pace has lost their place.
   */
  comeBackAt(place: Place, who: string): number | undefined {
    const now = this.#now()
    const state = this.#state(place)
    const free = state.isBusy ? now + this.#gap(place) : state.readyAt
    const readyAt = Math.max(this.openAt(place), free)
    if (readyAt > now) return wait(state, who, readyAt)
    const [first = who] = state.line
    const lostAt = readyAt + this.#gap(place) / 2
    if (first !== who && now < lostAt) return wait(state, who, lostAt)
    state.line.delete(first)
    state.line.delete(who)
    return undefined
  }

  /** Runs one passing edit; the next may go a pace after its end. */
  async take<Result>(place: Place, edit: () => Promise<Result>): Promise<Result> {
    const state = this.#state(place)
    state.isBusy = true
    try {
      return await edit()
    } finally {
      state.isBusy = false
      state.readyAt = this.#now() + this.#gap(place)
    }
  }

  /** The API asked to wait. */
  block(place: Place, waitMs: number): void {
    const now = this.#now()
    const state = this.#state(place)
    state.blockedUntil = Math.max(state.blockedUntil, now + waitMs)
    this.#asked = [...this.#asked.filter((at) => at > now - loudSpanMs), now].slice(-loudCount)
    if (this.#asked.length >= loudCount) {
      this.#silentUntil = Math.max(this.#silentUntil, now + waitMs)
    }
  }

  #gap(place: Place): number {
    return isPrivate(place) ? this.#pace.privateMs : this.#pace.groupMs
  }

  #state({ chatId }: Place): ChatState {
    const state = this.#chats.get(chatId) ?? newState()
    this.#chats.delete(chatId)
    this.#chats.set(chatId, state)
    const [oldest] = this.#chats.keys()
    if (this.#chats.size > maxChats && oldest !== undefined) this.#chats.delete(oldest)
    return state
  }
}

function newState(): ChatState {
  return { isBusy: false, readyAt: 0, blockedUntil: 0, line: new Set() }
}

function wait({ line }: ChatState, who: string, until: number): number {
  if (line.size < maxLine) line.add(who)
  return until
}
