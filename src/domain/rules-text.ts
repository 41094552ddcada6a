/** The longest text of a worker's rules that is kept or counts, in UTF-16 units. */
export const maxRulesCharacters = 1_000_000

/** Throws unless it may name a worker: 1 to 64 letters, digits, `-`, `_` and `.`, no dot first. It becomes part of a path. */
export function assertWorkerName(worker: string): void {
  if (/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/.test(worker)) return
  throw new Error('a worker’s name is letters, digits, "-", "_" and "."')
}

/** Throws for a text that no store keeps: one that is too long, or that PostgreSQL cannot hold. */
export function assertRulesText(text: string): void {
  if (text.length > maxRulesCharacters) {
    throw new Error(`rules may have at most ${maxRulesCharacters} characters`)
  }
  if (text.includes('\0')) throw new Error('rules may hold no NUL character')
}
