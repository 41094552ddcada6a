/** Repeats a step, never twice at once, and no earlier than the previous run asked for. */
export class Loop {
  readonly #step: () => Promise<number | undefined>
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #dueAt: number | undefined
  #isRunning = false
  #isStopped = false

  /** `step` must not reject; it returns the time of the next run, or undefined to wait for `by`. */
  constructor(step: () => Promise<number | undefined>, now: () => number) {
    this.#step = step
    this.#now = now
  }

  /** Runs no later than `at`, or as soon as the current run ends. */
  by(at: number): void {
    if (this.#isStopped || (this.#dueAt !== undefined && this.#dueAt <= at)) return
    this.#dueAt = at
    if (!this.#isRunning) this.#arm(at)
  }

  /** Prevents further runs. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #arm(at: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, at - this.#now()))
  }

  async #run(): Promise<void> {
    this.#dueAt = undefined
    this.#isRunning = true
    const next = await this.#step()
    this.#isRunning = false
    if (next !== undefined) this.by(next)
    if (this.#dueAt !== undefined && !this.#isStopped) this.#arm(this.#dueAt)
  }
}
