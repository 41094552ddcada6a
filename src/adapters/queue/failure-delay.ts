import { setTimeout as sleep } from 'node:timers/promises'
import { pauseAfterMs } from './backoff.ts'

/**
 * Delays each failure by a time that grows while failures continue, as BullMQ's workers retry at once and would keep a core
 * busy while the server is unreachable or refuses. Reports the start and the end of an outage.
 */
export class FailureDelay {
  readonly #options: FailureDelayOptions
  #failures = 0
  #isOutage = false
  #outages = 0

  constructor(options: FailureDelayOptions) {
    this.#options = options
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#outages
    try {
      const result = await work()
      this.#succeeded(before)
      return result
    } catch (error) {
      this.#failures++
      this.#reportOutage(error)
      await sleep(pauseAfterMs(this.#failures), undefined, { ref: false })
      throw error
    }
  }

  /** Ignores a success that was requested before the outage started. */
  #succeeded(troublesBefore: number): void {
    if (troublesBefore !== this.#outages) return
    this.#failures = 0
    if (this.#isOutage) this.#options.onEnd()
    this.#isOutage = false
  }

  #reportOutage(error: unknown): void {
    if (this.#isOutage || !this.#options.isOutage(error)) return
    this.#isOutage = true
    this.#outages++
    this.#options.onStart(error)
  }
}

interface FailureDelayOptions {
  /** Whether an error is due to the server's state; others are reported by the caller. */
  readonly isOutage: (error: unknown) => boolean
  /** Both are called once per outage. */
  readonly onStart: (error: unknown) => void
  readonly onEnd: () => void
}
