/** Stop button of a transient message; all edits share its token. */
export class StopButton {
  #token: string | undefined

  /** Creates the token once. Undefined if it could not be stored; the next edit tries again. */
  async token(mint: () => Promise<string>): Promise<string | undefined> {
    this.#token ??= await mint().catch(() => undefined)
    return this.#token
  }
}
