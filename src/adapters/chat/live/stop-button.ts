/** The Stop button of something that shows for a while: each edit of it has the same. */
export class StopButton {
  #token: string | undefined

  /** Minted once. Undefined: it could not be stored just now, and what shows goes without it until the next edit. */
  async token(mint: () => Promise<string>): Promise<string | undefined> {
    this.#token ??= await mint().catch(() => undefined)
    return this.#token
  }
}
