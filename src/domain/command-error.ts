export interface CommandErrorOptions extends ErrorOptions {
  /** Exit code: 1 (default) for a failure, 2 for wrong usage or configuration. */
  readonly exitCode?: 1 | 2
}

/** Expected failure of a command. The message is shown to the person at the terminal; it never stands for a bug. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: 1 | 2

  constructor(message: string, { exitCode = 1, ...options }: CommandErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
