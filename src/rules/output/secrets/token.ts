import { isMadeUp, isScrambled } from './randomness.ts'
import { byPattern, type PatternOptions, type SecretRule } from './secret-rule.ts'

/** Character classes for `token` and for patterns. */
export const hex = '[a-fA-F0-9]'
export const alnum = '[A-Za-z0-9]'
export const word = '[A-Za-z0-9_-]'
export const base64 = '[A-Za-z0-9+/]'

/**
 * Lookbehind for the start of a token: not within a word. A hyphen may precede it if no word does (a removed line of a diff),
 * and so may an escaped line end or byte (JSON, URLs), or a colour sequence.
 */
export const tokenStart = String.raw`(?:(?<![A-Za-z0-9_])(?<![A-Za-z0-9_]-)|(?<=\\[nrt]-?)|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9;]{1,8}m))`
export const tokenEnd = '(?![A-Za-z0-9_-])'

/** A rule for an unmistakable prefix followed by `least` to `most` characters of a class. */
export function token(
  kind: string,
  prefixes: string | readonly string[],
  body: string,
  least: number,
  most = Math.max(512, least),
): SecretRule {
  return withPrefix(kind, prefixes, `${body}{${least},${most}}`, { accept: (v) => !isMadeUp(v) })
}

/** As `token`, for prefixes that also begin ordinary words: the rest must look random and have the exact length. */
export function shortToken(
  kind: string,
  prefixes: string | readonly string[],
  body: string,
  least: number,
  most = least,
): SecretRule {
  return withPrefix(kind, prefixes, `${body}{${least},${most}}${tokenEnd}`, {
    accept: (value) => !isMadeUp(value) && isScrambled(value.slice(prefixLength(prefixes))),
  })
}

/** A rule for a prefix followed by a pattern. */
export function withPrefix(
  kind: string,
  prefixes: string | readonly string[],
  rest: string,
  options: PatternOptions = {},
): SecretRule {
  const all = typeof prefixes === 'string' ? [prefixes] : prefixes
  const source = `${tokenStart}(?:${all.map(literal).join('|')})${rest}`
  return byPattern(kind, all, source, { accept: (value) => !isMadeUp(value), ...options })
}

function prefixLength(prefixes: string | readonly string[]): number {
  return typeof prefixes === 'string'
    ? prefixes.length
    : Math.min(...prefixes.map(({ length }) => length))
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
