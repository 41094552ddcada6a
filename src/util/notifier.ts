/** Wakes several waiters when something may have changed. A ring between two waits is not lost. */
export class Notifier {
  readonly #waiting = new Set<() => void>()
  #rings = 0

  /** Number of rings; read it before checking the state that may change. */
  get rings(): number {
    return this.#rings
  }

  ring(): void {
    this.#rings += 1
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves when it has rung since `rings`, after `ms` milliseconds at the latest, or when the signal fires. */
  async waitForRing(rings: number, ms: number, signal: AbortSignal): Promise<void> {
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
