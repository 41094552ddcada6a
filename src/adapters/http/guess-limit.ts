import { dropOldest } from '../../util/drop-oldest.ts'
import { networkOf } from '../../util/network-of.ts'

const windowMs = 60_000
const mostWrong = 10
const remembered = 10_000
const knownDigests = 1_000

/**
 * Limits wrong tokens to 10 a minute per network. A token that was valid before is always looked up, so that an attacker cannot
 * lock out others behind the same address, such as a proxy.
 */
export class GuessLimit {
  readonly #wrong = new Map<string, { readonly since: number; count: number }>()
  readonly markValid = new Map<string, true>()
  readonly #now: () => number

  /** `now`: a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Whether a token may be looked up. It counts as wrong until `right` is called, because several requests may arrive at once.
   */
  take(address: string, tokenSha256: string): boolean {
    const key = networkOf(address)
    const now = this.#now()
    const known = this.#wrong.get(key)
    const tries =
      known !== undefined && now - known.since < windowMs ? known : { since: now, count: 0 }
    if (tries.count >= mostWrong && !this.markValid.has(tokenSha256)) return false
    tries.count += 1
    this.#wrong.set(key, tries)
    dropOldest(this.#wrong, remembered)
    return true
  }

  right(address: string, tokenSha256: string): void {
    const tries = this.#wrong.get(networkOf(address))
    if (tries !== undefined) tries.count -= 1
    this.markValid.delete(tokenSha256)
    this.markValid.set(tokenSha256, true)
    dropOldest(this.markValid, knownDigests)
  }
}
