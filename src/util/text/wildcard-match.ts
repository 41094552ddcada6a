/** A pattern token: a literal code unit, `?` (one character) or `*` (any text). */
type Token = number | 'one' | 'any'

/** A compiled pattern. `literal` is the text it matches if it has no wildcard. */
export interface Wildcard {
  readonly tokens: readonly Token[]
  readonly literal: string | undefined
  /** The literal start and end of every match: they rule out most patterns at once. */
  readonly start: string
  readonly end: string
  /** Set for a pattern that ends in ` *`: the part before it, which also matches alone. */
  readonly alone: Wildcard | undefined
}

/**
 * GATE-08: `*` any text (newlines included), `?` one character, `\` escapes the next character, nothing else is special; `git
 * push *` also matches `git push`. Time is at worst the pattern's length times the value's, never exponential.
 */
export function wildcardMatch(pattern: string, value: string): boolean {
  return matchesWildcard(toWildcard(pattern), value)
}

export function toWildcard(pattern: string): Wildcard {
  const tokens = toTokens(pattern)
  const alone = pattern.endsWith(' *') && pattern.length > 2 ? pattern.slice(0, -2) : undefined
  const isLiteral = tokens.every((token) => typeof token === 'number')
  const prefix = prefixOf(tokens)
  return {
    tokens,
    literal: isLiteral ? fromTokens(tokens) : undefined,
    start: alone === undefined || prefix.length < tokens.length - 1 ? prefix : prefix.slice(0, -1),
    end: fromTokens(tokens.slice(tokens.findLastIndex((token) => typeof token !== 'number') + 1)),
    alone: alone === undefined ? undefined : toWildcard(alone),
  }
}

export function matchesWildcard(wildcard: Wildcard, value: string): boolean {
  if (wildcard.literal !== undefined) return wildcard.literal === value
  if (!value.startsWith(wildcard.start) || !value.endsWith(wildcard.end)) return false
  if (matchesTokens(wildcard.tokens, value)) return true
  return wildcard.alone !== undefined && matchesWildcard(wildcard.alone, value)
}

/** Escapes text into a pattern that matches only that text; a leading `~` or `$` is escaped too. */
export function escapeWildcard(text: string): string {
  return text.replaceAll(/^[~$]|[\\*?]/g, '\\$&')
}

/** The literal text before a pattern's first wildcard, escapes resolved. */
export function literalPrefix(wildcard: Wildcard): string {
  return prefixOf(wildcard.tokens)
}

function prefixOf(tokens: readonly Token[]): string {
  const end = tokens.findIndex((token) => typeof token !== 'number')
  return fromTokens(end === -1 ? tokens : tokens.slice(0, end))
}

function toTokens(pattern: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]
    if (character === '*') {
      if (tokens.at(-1) !== 'any') tokens.push('any')
    } else if (character === '?') {
      tokens.push('one')
    } else {
      if (character === '\\' && at + 1 < pattern.length) at += 1
      tokens.push(pattern.charCodeAt(at))
    }
  }
  return tokens
}

function fromTokens(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (typeof token === 'number' ? String.fromCharCode(token) : ''))
    .join('')
}

/** Greedy matching: after a mismatch only the last star needs to take one more character. */
function matchesTokens(tokens: readonly Token[], value: string): boolean {
  let at = 0
  let token = 0
  let star = -1
  let starAt = 0
  while (at < value.length) {
    const expected = tokens[token]
    if (expected === 'any') {
      star = token
      starAt = at
      token += 1
    } else if (expected === 'one') {
      at += characterLength(value, at)
      token += 1
    } else if (expected !== undefined && expected === value.charCodeAt(at)) {
      at += 1
      token += 1
    } else if (star >= 0) {
      starAt += 1
      at = starAt
      token = star + 1
    } else {
      return false
    }
  }
  while (tokens[token] === 'any') token += 1
  return token === tokens.length
}

function characterLength(value: string, at: number): number {
  return (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
