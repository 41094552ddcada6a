/** Messages that may wait at once for the greeting of their replica. */
const mostAwaited = 4
/** Dropped messages that get a row of their own within a minute. */
const mostTold = 100

/** How an agent treats messages that nobody enrolled sent, so that many of them keep nobody else waiting. One for each agent. */
export class UnenrolledWorkers {
  #awaited = 0
  #dropped = 0

  /** Waits for a greeting that may be on its way; not at all when others wait: an honest result is asked for again. */
  async awaitGreeting<T>(wait: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#awaited >= mostAwaited) return undefined
    this.#awaited += 1
    try {
      return await wait()
    } finally {
      this.#awaited -= 1
    }
  }

  /** Counts one more that was dropped; whether it is to be told by itself. */
  countDropped(): boolean {
    this.#dropped += 1
    return this.#dropped <= mostTold
  }

  /** Begins another minute; answers how many were dropped in the last one beyond those told. */
  beginMinute(): number {
    const untold = Math.max(0, this.#dropped - mostTold)
    this.#dropped = 0
    return untold
  }
}
