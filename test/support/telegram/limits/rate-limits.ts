import { tooManyRequests } from './refusal.ts'

/** How much a bot may write. Telegram's own: about 1 a second in a chat, 20 a minute in a group, 30 a second in all. */
export interface RateLimits {
  readonly perChatPerSecond?: number
  readonly perGroupPerMinute?: number
  readonly perSecond?: number
}

const writing = new Set([
  'sendmessage',
  'senddocument',
  'sendmessagedraft',
  'editmessagetext',
  'editmessagecaption',
  'editmessagereplymarkup',
])

/** Who wrote when, and which chats are closed until when. */
export class RateGuard {
  limits: RateLimits
  /** Calls that came before the time that an earlier 429 named. */
  tooEarly = 0
  readonly #written = new Map<string, number[]>()
  readonly #closedUntil = new Map<string, number>()

  constructor(limits: RateLimits) {
    this.limits = limits
  }

  /** Throws the 429 of a call that writes too often, or before it may again. */
  check(token: string, method: string, chatId: unknown, now: number): void {
    if (!writing.has(method.toLowerCase())) return
    const chat = `${token}/${String(chatId)}`
    const waitMs = (this.#closedUntil.get(chat) ?? 0) - now
    if (waitMs > 0) {
      this.tooEarly++
      throw tooManyRequests(Math.ceil(waitMs / 1000))
    }
    const group = String(chatId).startsWith('-')
    const { perChatPerSecond, perGroupPerMinute, perSecond } = this.limits
    this.#count(`${chat}/s`, perChatPerSecond, 1000, now, chat)
    this.#count(`${chat}/m`, group ? perGroupPerMinute : undefined, 60_000, now, chat)
    this.#count(`${token}/s`, perSecond, 1000, now, chat)
  }

  /** Nothing may be written in this chat for a while. */
  close(token: string, method: string, chatId: unknown, now: number, retryAfter: number): void {
    if (!writing.has(method.toLowerCase())) return
    this.#closedUntil.set(`${token}/${String(chatId)}`, now + retryAfter * 1000)
  }

  #count(
    key: string,
    limit: number | undefined,
    windowMs: number,
    now: number,
    chat: string,
  ): void {
    if (limit === undefined) return
    const recent = (this.#written.get(key) ?? []).filter((at) => at > now - windowMs)
    this.#written.set(key, recent)
    const oldest = recent[0]
    if (recent.length >= limit && oldest !== undefined) {
      const retryAfter = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000))
      this.#closedUntil.set(chat, now + retryAfter * 1000)
      throw tooManyRequests(retryAfter)
    }
    recent.push(now)
  }
}
