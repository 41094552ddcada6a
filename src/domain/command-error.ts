import { type ErrorCode, errorCodes } from './error-codes.ts'

export interface CommandErrorOptions extends ErrorOptions {
  readonly code: ErrorCode
}

/** Expected failure of a command. The message is shown to the person at the terminal; it never stands for a bug. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly code: ErrorCode

  constructor(message: string, { code, ...options }: CommandErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Exit code of the command: 1 for a failure, 2 for wrong usage or configuration. */
  get exitCode(): 1 | 2 {
    return errorCodes[this.code].exitCode
  }
}
