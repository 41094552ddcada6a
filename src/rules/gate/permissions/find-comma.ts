import { createScanner } from 'jsonc-parser'

const comma = 5
const endOfFile = 17

/** The offset of the first comma between two offsets that is not in a comment. */
export function findComma(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true)
  for (let token: number = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (token === comma) return from + scanner.getTokenOffset()
  }
  return undefined
}
