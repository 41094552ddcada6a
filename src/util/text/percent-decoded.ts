/** Percent-decodes a part of a URL; the text itself if a `%` encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An invisible character by its code point: `⟨U+200B⟩`. */
export function namedCharacter(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
