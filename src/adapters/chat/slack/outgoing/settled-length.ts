/** A word that is longer is no word: it is cut. */
const longestWord = 60

/**
 * How much of a text that grows may be said already: up to the beginning of its last word, so that what comes next begins
 * neither with a blank, which Slack drops there, nor with half of a character.
 */
export function settledLength(text: string): number {
  const from = Math.max(0, text.length - longestWord)
  for (let at = text.length - 1; at > from; at -= 1) {
    if (isBlank(text, at - 1) && !isBlank(text, at)) return at
  }
  for (let at = text.length - 1; at > 0; at -= 1) {
    if (!isBlank(text, at) && !isLowSurrogate(text, at)) return from === 0 ? 0 : at
  }
  return 0
}

function isBlank(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}

function isLowSurrogate(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at))
}
