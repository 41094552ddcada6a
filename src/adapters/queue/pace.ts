import { setTimeout as sleep } from 'node:timers/promises'
import { pauseAfterMs } from './backoff.ts'

/**
 * Hands every failure on only after a pause that grows while failures go on. BullMQ's workers ask again at once,
 * and would spin a core for as long as the server is away or refuses. Tells when trouble began and when it was over.
 */
export class Pace {
  readonly #options: PaceOptions
  #failures = 0
  #inTrouble = false
  #troubles = 0

  constructor(options: PaceOptions) {
    this.#options = options
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#troubles
    try {
      const result = await work()
      this.#worked(before)
      return result
    } catch (error) {
      this.#failures++
      this.#tell(error)
      await sleep(pauseAfterMs(this.#failures), undefined, { ref: false })
      throw error
    }
  }

  /** What was answered before the trouble began, and is heard of only now, says nothing of how it stands. */
  #worked(troublesBefore: number): void {
    if (troublesBefore !== this.#troubles) return
    this.#failures = 0
    if (this.#inTrouble) this.#options.over()
    this.#inTrouble = false
  }

  #tell(error: unknown): void {
    if (this.#inTrouble || !this.#options.isTrouble(error)) return
    this.#inTrouble = true
    this.#troubles++
    this.#options.began(error)
  }
}

interface PaceOptions {
  /** What the server's state explains; anything else is told by who asked. */
  readonly isTrouble: (error: unknown) => boolean
  /** Both are called once each time. */
  readonly began: (error: unknown) => void
  readonly over: () => void
}
