/** Message of a compiler about a project (FILE-09). */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Path as printed by the compiler, absolute or relative to the project; undefined if it concerns the project. */
  readonly file: string | undefined
  /** Position, counted from 1. */
  readonly line: number | undefined
  readonly col: number | undefined
}

/** Maximum length of a message in characters. */
const longestMessage = 2000

export function toMessage(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}…`
}
