import { setImmediate as otherWork } from 'node:timers/promises'

/** Number of steps after which other work gets its turn. */
const slice = 500

/** Lets other calls run between many small steps, and ends when its own call is stopped. */
export class Pace {
  readonly #signal: AbortSignal
  #steps = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Call once a step. Rejects if the call was stopped. */
  async step(): Promise<void> {
    this.#steps += 1
    if (this.#steps % slice !== 0) return
    await otherWork()
    this.#signal.throwIfAborted()
  }
}
