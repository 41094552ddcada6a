/** Longest text of a worker's rules, in UTF-16 code units. */
export const maxRulesCharacters = 1_000_000

/**
 * Throws unless the text is a valid worker name: 1 to 64 letters, digits, `-`, `_` and `.`, not starting with a dot.
 * The name becomes part of a path.
 */
export function assertWorkerName(worker: string): void {
  if (/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/.test(worker)) return
  throw new Error('a worker’s name is letters, digits, "-", "_" and "."')
}

/** Throws if the rules exceed the limit or contain a NUL, which PostgreSQL cannot store. */
export function assertRulesText(text: string): void {
  if (text.length > maxRulesCharacters) {
    throw new Error(`rules may have at most ${maxRulesCharacters} characters`)
  }
  if (text.includes('\0')) throw new Error('rules may hold no NUL character')
}
