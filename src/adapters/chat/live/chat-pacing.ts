import type { Chat } from '../outgoing/messenger.ts'
import type { LivePace } from './live-pace.ts'

interface ChatState {
  isBusy: boolean
  readyAt: number
  blockedUntil: number
  /** Callers that were asked to wait, in the order of asking. */
  readonly queue: Set<string>
}

const maxChats = 2_000
const maxLine = 100
/** This many requests to wait within the time span indicate a limit beyond a single chat. */
const maxRequests = 3
const requestSpanMs = 30_000

/**
 * Decides when transient messages may be sent to a chat. Limits apply per chat, so the topics of a forum share them. If the API
 * asks to wait (429), transient messages stop at once, as durable ones have to wait as well.
 */
export class ChatPacing {
  readonly #chats = new Map<string, ChatState>()
  readonly #pace: LivePace
  readonly #now: () => number
  #waitRequests: number[] = []
  #silentUntil = 0

  constructor(pace: LivePace, now: () => number) {
    this.#pace = pace
    this.#now = now
  }

  /** Time until which the API asked to leave the chat alone. */
  blockedUntil({ id }: Chat): number {
    return this.#chats.get(id)?.blockedUntil ?? 0
  }

  /** Time from which transient messages may be sent to the chat. */
  openAt({ id }: Chat): number {
    return Math.max(this.#silentUntil, this.#chats.get(id)?.blockedUntil ?? 0)
  }

  /**
   * The time at which `who` should try again; undefined: now. Waiting callers are served in order; one that does not return
   * within half an interval loses its turn.
   */
  retryAt(chat: Chat, who: string): number | undefined {
    const now = this.#now()
    const state = this.#state(chat)
    const free = state.isBusy ? now + this.#interval(chat) : state.readyAt
    const readyAt = Math.max(this.openAt(chat), free)
    if (readyAt > now) return wait(state, who, readyAt)
    const [first = who] = state.queue
    const turnEndsAt = readyAt + this.#interval(chat) / 2
    if (first !== who && now < turnEndsAt) return wait(state, who, turnEndsAt)
    state.queue.delete(first)
    state.queue.delete(who)
    return undefined
  }

  /** Runs one transient edit; the next is allowed an interval after its end. */
  async take<Result>(chat: Chat, edit: () => Promise<Result>): Promise<Result> {
    const state = this.#state(chat)
    state.isBusy = true
    try {
      return await edit()
    } finally {
      state.isBusy = false
      state.readyAt = this.#now() + this.#interval(chat)
    }
  }

  /**
   * Records a request of the API to wait: in this chat, or with calls of one kind in any chat (`isOfMethod`), which does not
   * affect durable messages.
   */
  backOff(chat: Chat, waitMs: number, isOfMethod = false): void {
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
    this.#waitRequests = [
      ...this.#waitRequests.filter((at) => at > now - requestSpanMs),
      now,
    ].slice(-maxRequests)
    if (this.#waitRequests.length >= maxRequests) this.#silence(waitMs)
  }

  #interval(chat: Chat): number {
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
  return { isBusy: false, readyAt: 0, blockedUntil: 0, queue: new Set() }
}

function wait({ queue }: ChatState, who: string, until: number): number {
  if (queue.size < maxLine) queue.add(who)
  return until
}
