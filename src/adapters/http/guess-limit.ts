import { dropOldest } from '../../util/drop-oldest.ts'
import { networkOf } from '../../util/network-of.ts'

const windowMs = 60_000
const mostWrong = 10
const remembered = 10_000
const knownDigests = 1_000

/**
 * How many wrong tokens an address may try: 10 a minute. A token that was right before is looked up all the same, so that one
 * who guesses does not shut out those who share an address, that of a proxy perhaps.
 */
export class GuessLimit {
  readonly #wrong = new Map<string, { readonly since: number; count: number }>()
  readonly #right = new Map<string, true>()
  readonly #now: () => number

  /** `now`: a clock in milliseconds that never goes back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether a token may be looked up; it counts as wrong until `right` is said of it: many may come at once. */
  take(address: string, tokenSha256: string): boolean {
    const key = networkOf(address)
    const now = this.#now()
    const known = this.#wrong.get(key)
    const tries =
      known !== undefined && now - known.since < windowMs ? known : { since: now, count: 0 }
    if (tries.count >= mostWrong && !this.#right.has(tokenSha256)) return false
    tries.count += 1
    this.#wrong.set(key, tries)
    dropOldest(this.#wrong, remembered)
    return true
  }

  right(address: string, tokenSha256: string): void {
    const tries = this.#wrong.get(networkOf(address))
    if (tries !== undefined) tries.count -= 1
    this.#right.delete(tokenSha256)
    this.#right.set(tokenSha256, true)
    dropOldest(this.#right, knownDigests)
  }
}
