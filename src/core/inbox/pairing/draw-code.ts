import { randomSymbols } from '../../../util/random-symbols.ts'
import { codeAlphabet, codeLength, looksLikeCode } from './pairing-code.ts'

/** The symbols of a new one-time code: drawn again until they look like a code, which every third does. */
export function drawCode(): string {
  for (;;) {
    const symbols = randomSymbols(codeAlphabet, codeLength)
    if (looksLikeCode(symbols)) return symbols
  }
}
