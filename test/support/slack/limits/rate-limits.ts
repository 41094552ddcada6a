import type { Method } from '../methods/method.ts'
import { rateLimited } from './refusal.ts'

/**
 * How much the app may do; nothing is limited unless given. Slack's own: chat.postMessage about once a second in a channel,
 * others 20, 50 or 100 a minute by their tier (https://docs.slack.dev/apis/web-api/rate-limits).
 */
export interface RateLimits {
  readonly perChannelPerSecond?: number
  /** Each method by its tier. */
  readonly tiers?: boolean
  /** Instead of its tier. */
  readonly perMinute?: Readonly<Record<string, number>>
}

/** Who did what when, and what is closed until when. */
export class RateGuard {
  limits: RateLimits
  /** Calls that came before the time that an earlier 429 named. */
  tooEarly = 0
  readonly #done = new Map<string, number[]>()
  readonly #closedUntil = new Map<string, number>()

  constructor(limits: RateLimits) {
    this.limits = limits
  }

  /** Throws the 429 of a call that comes too often, or before it may again. */
  check(name: string, method: Method, channel: unknown, now: number): void {
    const waitMs = (this.#closedUntil.get(keyOf(name, method, channel)) ?? 0) - now
    if (waitMs > 0) {
      this.tooEarly++
      throw rateLimited(Math.ceil(waitMs / 1000))
    }
    const { perChannelPerSecond, tiers, perMinute } = this.limits
    if (method.pace === 'channel') {
      this.#count(keyOf(name, method, channel), perChannelPerSecond, 1000, now)
    }
    const tier = tiers === true && typeof method.pace === 'number' ? method.pace : undefined
    this.#count(name, perMinute?.[name] ?? tier, 60_000, now)
  }

  /** The method answers 429 for a while: in this channel, where its limit is a channel's. */
  close(name: string, method: Method, channel: unknown, now: number, retryAfter: number): void {
    this.#closedUntil.set(keyOf(name, method, channel), now + retryAfter * 1000)
  }

  #count(key: string, limit: number | undefined, windowMs: number, now: number): void {
    if (limit === undefined) return
    const recent = (this.#done.get(key) ?? []).filter((at) => at > now - windowMs)
    this.#done.set(key, recent)
    const oldest = recent[0]
    if (recent.length >= limit && oldest !== undefined) {
      const retryAfter = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000))
      this.#closedUntil.set(key, now + retryAfter * 1000)
      throw rateLimited(retryAfter)
    }
    recent.push(now)
  }
}

/** What a limit is of. */
function keyOf(name: string, { pace }: Method, channel: unknown): string {
  return pace === 'channel' ? `${name} ${String(channel)}` : name
}
