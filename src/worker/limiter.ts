/** Lets at most `places` holders in at once, in the order they came. */
export class Limiter {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Waits for a place; dispose what comes back to give it up. Rejects when aborted. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free -= 1
    else await this.#queueUp(signal)
    return { [Symbol.dispose]: () => this.#leave() }
  }

  #queueUp(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = (): void => {
      const index = this.#waiting.indexOf(resolve)
      // Not there: a place was handed over in this very tick, and is given up by who got it.
      if (index === -1) return
      this.#waiting.splice(index, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(resolve)
    return promise.finally(() => signal.removeEventListener('abort', onAbort))
  }

  // The place goes from hand to hand; nobody who comes now overtakes.
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
