/** Waits that can be ended from outside. Racing them all against one promise would keep every outcome in memory. */
export class OpenWaits {
  readonly #refusals = new Set<(error: Error) => void>()

  /** The outcome of `work`, or what `endAll` was given meanwhile. */
  async on<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    this.#refusals.add(reject)
    try {
      return await Promise.race([work, promise])
    } finally {
      this.#refusals.delete(reject)
    }
  }

  endAll(error: Error): void {
    for (const refuse of this.#refusals) refuse(error)
  }
}
