/** Part of a pattern in the syntax of both engines. */
export interface Item {
  readonly ripgrep: string
  readonly node: string
}

export function same(text: string): Item {
  return { ripgrep: text, node: text }
}

/** Returns a character with its single-character counterparts in the other case. */
export function casesOf(character: string): string[] {
  const others = [character.toLowerCase(), character.toUpperCase()]
  return [...new Set([character, ...others.filter((other) => [...other].length === 1)])]
}

/** Returns a literal character for use inside or outside a class. ASCII except letters and digits is written as a code. */
export function toLiteral(character: string): string {
  if (character.charCodeAt(0) > 0x7e || /^[0-9A-Za-z]$/.test(character)) return character
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

const pair = '[\\ud800-\\udbff][\\udc00-\\udfff]'

/**
 * Matches any character of a line except `inside` (class contents). Node's linear engine has no `u` flag, so surrogate
 * pairs are spelled out and lone surrogates never match.
 */
export function anyBut(inside: string): Item {
  return {
    ripgrep: `[^\\r\\n${inside}]`,
    node: `(?:[^\\r\\n\\ud800-\\udfff${inside}]|${pair})`,
  }
}
