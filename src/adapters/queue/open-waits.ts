/** Pending waits that can be ended together. Racing all of them against one promise would keep their results in memory. */
export class OpenWaits {
  readonly #refusals = new Set<(error: Error) => void>()

  /** The result of `work`, or a rejection with the error passed to `endAll` meanwhile. */
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
