import { createRecentKeys } from '../../incoming/recent-keys.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

/** What an app without streams is answered, or its workspace. */
const unknown: ReadonlySet<string> = new Set([
  'missing_scope',
  'not_allowed_token_type',
  'unknown_method',
  'method_deprecated',
  'method_not_supported',
  'feature_not_enabled',
  'feature_disabled',
  'not_authorized',
  'not_allowed',
])
const remembered = 1_000

/** Whether and where a stream may begin: known once it was tried, for as long as the process lives. */
export class StreamOffer {
  readonly #now: () => number
  readonly #refused = createRecentKeys(remembered)
  #isOffered = true
  #startAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  isOpen(place: string): boolean {
    return this.#isOffered && this.#now() >= this.#startAt && !this.#refused.has(place)
  }

  /** Learns from a beginning that failed; throws what says nothing of streams. */
  learn(place: string, error: unknown): void {
    const code = slackCode(error)
    const failed = toDelivery(error)
    if (code !== undefined && unknown.has(code)) this.#isOffered = false
    else if (failed.kind === 'busy') this.#startAt = this.#now() + failed.afterMs
    else if (failed.kind === 'refused') this.#refused.add(place)
    else throw error
  }
}
