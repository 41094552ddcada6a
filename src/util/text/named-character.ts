/** An invisible character by its code point: `⟨U+200B⟩`. */
export function namedCharacter(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
