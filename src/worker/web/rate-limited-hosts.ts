import { dropOldest } from '../../util/drop-oldest.ts'

const mostHosts = 1_000

/** WEB-06: hosts that answered 429 with a Retry-After, which are not asked until then. */
export class RateLimitedHosts {
  readonly #until = new Map<string, number>()
  readonly #now: () => number

  /** `now` returns Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  block(host: string, ms: number): void {
    this.#until.delete(host)
    this.#until.set(host, this.#now() + ms)
    dropOldest(this.#until, mostHosts)
  }

  /** Returns the milliseconds until the host may be asked again; 0 for now. */
  remainingMs(host: string): number {
    return Math.max((this.#until.get(host) ?? 0) - this.#now(), 0)
  }
}
