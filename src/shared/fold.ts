/** Text in which case and the way that accents are stored no longer count: NFC, then each character's simple folding. */
export function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return Array.from(text.normalize('NFC'), foldedCharacter).join('')
}

const isAscii = /^[ -~]*$/

/** Each by itself, so that a text folds to the folded texts of its parts: `Σ` and `ς` are `σ` wherever they stand. */
function foldedCharacter(character: string): string {
  const upper = character.toUpperCase()
  return (isOne(upper) ? upper : character).toLowerCase()
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
}
