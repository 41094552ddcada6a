const pairs = /\u2068([^\u2066-\u2069\u202a-\u202e\n]*)\u2069/gu
const fromRight =
  /^[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}](?:.*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}])?$/u

/** A text without the isolates that the product puts around words from right to left; all other marks of direction stay. */
export function withoutIsolates(text: string): string {
  return text.replaceAll(pairs, (pair, inner: string) => (fromRight.test(inner) ? inner : pair))
}
