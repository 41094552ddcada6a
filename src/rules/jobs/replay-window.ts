/** How far behind the highest number one may come: some travel over other connections than those before them. */
const width = 256

/** Tells numbers that come for the first time from those that came before, or may have: of one sender, in any order. */
export class ReplayWindow {
  readonly #seen = new Set<number>()
  #highest = 0

  /** Whether it is new; from then on it is not. */
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
