import type { LinearRegex } from '../../util/text/linear-regex.ts'

/** Where a secret stands in a text: UTF-16 offsets, end exclusive. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** A form of credential beside those that are built in. */
export interface SecretShape {
  readonly kind: string
  /** Texts of which one must occur for `pattern` to match at all; empty: always try. */
  readonly hints: readonly string[]
  /** The secret is group 1, or the whole match where there is no group. One of our own has the flags `g` and `d`. */
  readonly pattern: RegExp | LinearRegex
  /** Whether it may hold the end of a line; missing: it may. */
  readonly crossesLines?: boolean
  /** A further test on the matched secret. */
  readonly accept?: (value: string) => boolean
}
