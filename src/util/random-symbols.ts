import { randomInt } from 'node:crypto'

/** So many symbols of an alphabet, each drawn by itself, that nobody can foretell. */
export function randomSymbols(alphabet: string, count: number): string {
  return Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
}
