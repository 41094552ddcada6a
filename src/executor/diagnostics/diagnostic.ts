/** One thing that a compiler says of a project (FILE-09). */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** As the compiler names it: absolute, or relative to the project; undefined: it is about the project. */
  readonly file: string | undefined
  /** From 1. */
  readonly line: number | undefined
  readonly col: number | undefined
}

/** What of a message is kept, in characters. */
const longestMessage = 2000

export function toMessage(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}…`
}
