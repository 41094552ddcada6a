import { Limiter } from '../limiter.ts'

interface Line {
  readonly limiter: Limiter
  /** Who is in, and who waits. */
  count: number
}

/** Lets one holder at a time in by a key, the others in the order they came. */
export class OneAtATime {
  readonly #lines = new Map<string, Line>()

  /** Waits for the turn; dispose what comes back to end it. Rejects when aborted. */
  async enter(key: string, signal: AbortSignal): Promise<Disposable> {
    const line = this.#lines.get(key) ?? { limiter: new Limiter(1), count: 0 }
    this.#lines.set(key, line)
    line.count += 1
    const leave = (): void => {
      line.count -= 1
      if (line.count === 0) this.#lines.delete(key)
    }
    try {
      const place = await line.limiter.enter(signal)
      return {
        [Symbol.dispose]: () => {
          place[Symbol.dispose]()
          leave()
        },
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}
