/** Distance below the highest number in which numbers are accepted: events may overtake each other on different connections. */
const width = 256

/** Detects repeated sequence numbers of one sender, which may arrive out of order. */
export class ReplayWindow {
  readonly #seen = new Set<number>()
  #highest = 0

  /** Accepts a number that is new and within the window; false if it was, or may have been, seen before. */
  take(seq: number): boolean {
    if (seq <= this.#highest - width || this.#seen.has(seq)) return false
    this.#seen.add(seq)
    this.#highest = Math.max(this.#highest, seq)
    if (this.#seen.size > 2 * width) this.#forget()
    return true
  }

  #forget(): void {
    for (const seq of this.#seen) if (seq <= this.#highest - width) this.#seen.delete(seq)
  }
}
