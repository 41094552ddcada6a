import { setImmediate as otherWork } from 'node:timers/promises'

/** Steps after which others get their turn. */
const slice = 500

/** Work of many small steps on files, which leaves room for other calls and ends when its own is stopped. */
export class Pace {
  readonly #signal: AbortSignal
  #steps = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Once a step. Rejects when the call was stopped. */
  async step(): Promise<void> {
    this.#steps += 1
    if (this.#steps % slice !== 0) return
    await otherWork()
    this.#signal.throwIfAborted()
  }
}
