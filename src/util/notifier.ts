/** Tells several waiters that something may have changed. What rings between two waits is not lost. */
export class Notifier {
  readonly #waiting = new Set<() => void>()
  #rings = 0

  /** How often it rang; to be read before what may change is looked at. */
  get rings(): number {
    return this.#rings
  }

  ring(): void {
    this.#rings += 1
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves when it has rung since then, at the latest after `ms` milliseconds or when the signal fires. */
  async rungSince(rings: number, ms: number, signal: AbortSignal): Promise<void> {
    if (rings !== this.#rings || signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const timer = setTimeout(wake, ms)
    this.#waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
    await promise
    signal.removeEventListener('abort', wake)
    this.#waiting.delete(wake)
    clearTimeout(timer)
  }
}
