import type { Chat } from '../outgoing/messenger.ts'
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
  readonly #chats = new Map<string, ChatState>()
  readonly #pace: LivePace
  readonly #now: () => number
  #asked: number[] = []
  #silentUntil = 0

  constructor(pace: LivePace, now: () => number) {
    this.#pace = pace
    this.#now = now
  }

  /** The time until which the API asked to leave the chat alone. */
  blockedUntil({ id }: Chat): number {
    return this.#chats.get(id)?.blockedUntil ?? 0
  }

  /** The time from which the chat may be sent anything passing at all. */
  openAt({ id }: Chat): number {
    return Math.max(this.#silentUntil, this.#chats.get(id)?.blockedUntil ?? 0)
  }

  /**
   * The time at which `who` may come back, or none: now. Those who wait go in the order in which they first asked; whoever
   * does not come for half a pace has lost their place.
   */
  comeBackAt(chat: Chat, who: string): number | undefined {
    const now = this.#now()
    const state = this.#state(chat)
    const free = state.isBusy ? now + this.#gap(chat) : state.readyAt
    const readyAt = Math.max(this.openAt(chat), free)
    if (readyAt > now) return wait(state, who, readyAt)
    const [first = who] = state.line
    const lostAt = readyAt + this.#gap(chat) / 2
    if (first !== who && now < lostAt) return wait(state, who, lostAt)
    state.line.delete(first)
    state.line.delete(who)
    return undefined
  }

  /** Runs one passing edit; the next may go a pace after its end. */
  async take<Result>(chat: Chat, edit: () => Promise<Result>): Promise<Result> {
    const state = this.#state(chat)
    state.isBusy = true
    try {
      return await edit()
    } finally {
      state.isBusy = false
      state.readyAt = this.#now() + this.#gap(chat)
    }
  }

  /** The API asked to wait: in this chat, or with calls of one kind in any, which what is durable need not mind. */
  obey(chat: Chat, waitMs: number, isOfMethod = false): void {
    if (isOfMethod) this.#silence(waitMs)
    else this.#block(chat, waitMs)
  }

  #silence(waitMs: number): void {
    this.#silentUntil = Math.max(this.#silentUntil, this.#now() + waitMs)
  }

  #block(chat: Chat, waitMs: number): void {
    const now = this.#now()
    const state = this.#state(chat)
    state.blockedUntil = Math.max(state.blockedUntil, now + waitMs)
    this.#asked = [...this.#asked.filter((at) => at > now - loudSpanMs), now].slice(-loudCount)
    if (this.#asked.length >= loudCount) this.#silence(waitMs)
  }

  #gap(chat: Chat): number {
    return chat.isPrivate ? this.#pace.privateMs : this.#pace.groupMs
  }

  #state({ id }: Chat): ChatState {
    const state = this.#chats.get(id) ?? newState()
    this.#chats.delete(id)
    this.#chats.set(id, state)
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
