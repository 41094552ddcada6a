export const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
export const digits = '0123456789'
export const alnum = upper + lower + digits
export const word = `${alnum}_-`
export const hex = `${digits}abcdef`
export const upperDigits = upper + digits
export const lowerDigits = lower + digits
export const base64 = `${alnum}+/`

/** A deterministic source of random characters. Secrets of the corpus are generated at run time, so that no file contains one. */
export class RandomText {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  of(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.#next() % alphabet.length]).join('')
  }

  uuid(): string {
    const part = (length: number) => this.of(hex, length)
    return `${part(8)}-${part(4)}-4${part(3)}-a${part(3)}-${part(12)}`
  }

  /** Mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
