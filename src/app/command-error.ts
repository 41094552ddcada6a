/** What a command cannot do, in plain words for the person at the terminal; never a bug of ours. */
export class CommandError extends Error {
  override name = 'CommandError'
  /** 1: it failed; 2: it was asked or configured wrongly. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1, options: ErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
