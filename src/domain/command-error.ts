export interface CommandErrorOptions extends ErrorOptions {
  /** 1: it failed (unless said otherwise); 2: it was asked or configured wrongly. */
  readonly exitCode?: 1 | 2
}

/** What a command cannot do, in plain words for the person at the terminal; never a bug of ours. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: 1 | 2

  constructor(message: string, { exitCode = 1, ...options }: CommandErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
