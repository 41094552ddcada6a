import { createRecentKeys } from '../../incoming/recent-keys.ts'
import { slackCode, toDelivery } from './to-delivery.ts'

/** Errors of an app or workspace without streams. */
const unsupported: ReadonlySet<string> = new Set([
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
const maxPlaces = 1_000

/** Whether and where a stream may be started; learned from attempts, for the lifetime of the process. */
export class StreamSupport {
  readonly #now: () => number
  readonly #refused = createRecentKeys(maxPlaces)
  #isOffered = true
  #startAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  isOpen(place: string): boolean {
    return this.#isOffered && this.#now() >= this.#startAt && !this.#refused.has(place)
  }

  /** Learns from a failed start; rethrows errors that do not concern streams. */
  learn(place: string, error: unknown): void {
    const code = slackCode(error)
    const failed = toDelivery(error)
    if (code !== undefined && unsupported.has(code)) this.#isOffered = false
    else if (failed.kind === 'busy') this.#startAt = this.#now() + failed.afterMs
    else if (failed.kind === 'refused') this.#refused.add(place)
    else throw error
  }
}
