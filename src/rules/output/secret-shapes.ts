import type { LinearRegex } from '../../util/text/linear-regex.ts'

/** Position of a secret in a text: UTF-16 offsets, end exclusive. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
}

/** A pattern for credentials in addition to the built-in rules. */
export interface SecretShape {
  readonly kind: string
  /** The pattern is tried only if one of these texts occurs; if empty, always. */
  readonly hints: readonly string[]
  /** The secret is group 1, or the whole match if there is no group. A RegExp needs the flags `g` and `d`. */
  readonly pattern: RegExp | LinearRegex
  /** Whether a match may contain a line end; true by default. */
  readonly crossesLines?: boolean
  /** Additional test on the matched secret. */
  readonly accept?: (value: string) => boolean
}
