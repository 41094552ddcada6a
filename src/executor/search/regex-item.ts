/** A piece of a pattern in the spelling of either engine. */
export interface Item {
  readonly ripgrep: string
  readonly node: string
}

export function same(text: string): Item {
  return { ripgrep: text, node: text }
}

/** A character and its single-character counterparts in the other case. */
export function casesOf(character: string): string[] {
  const others = [character.toLowerCase(), character.toUpperCase()]
  return [...new Set([character, ...others.filter((other) => [...other].length === 1)])]
}

/** A character that stands for itself, within a class or outside. ASCII but for letters and digits is written as code. */
export function toLiteral(character: string): string {
  if (character.charCodeAt(0) > 0x7e || /^[0-9A-Za-z]$/.test(character)) return character
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

const pair = '[\\ud800-\\udbff][\\udc00-\\udfff]'

/**
 * Any character of a line but those in `inside` (class contents). Node's linear engine knows no `u` flag, so a pair of
 * surrogates is spelled out and half a pair never matches.
 */
export function anyBut(inside: string): Item {
  return {
    ripgrep: `[^\\r\\n${inside}]`,
    node: `(?:[^\\r\\n\\ud800-\\udfff${inside}]|${pair})`,
  }
}
