/**
 * Folds text for comparison without case and without regard to how accents are encoded: NFC, then simple case folding
 * of each character.
 */
export function fold(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase()
  return Array.from(text.normalize('NFC'), foldedCharacter).join('')
}

const isAscii = /^[ -~]*$/

/** Folds each character by itself, so that a folded text equals its folded parts joined: `Σ` and `ς` always become `σ`. */
function foldedCharacter(character: string): string {
  const upper = character.toUpperCase()
  return (isOne(upper) ? upper : character).toLowerCase()
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
}
