const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /^[a-zA-Z0-9]$/,
  alpha: /^[a-zA-Z]$/,
  digit: /^[0-9]$/,
  lower: /^[a-z]$/,
  punct: /^[!-/:-@[-`{-~]$/,
  space: /^\s$/,
  upper: /^[A-Z]$/,
  word: /^\w$/,
  xdigit: /^[0-9A-Fa-f]$/,
}

interface CharacterClass {
  readonly accepts: (character: string) => boolean
  /** Characters of the pattern from `[` to `]`. */
  readonly length: number
}

/** The class that begins at `from` (`[a-z]`, `[!a]`, `[^a]`, `[[:alpha:]]`), undefined when no `]` ends it. Never `/`. */
export function parseCharacterClass(text: string, from: number): CharacterClass | undefined {
  let at = from + 1
  const isNegated = text[at] === '!' || text[at] === '^'
  if (isNegated) at++
  const tests: ((character: string) => boolean)[] = []
  for (const begin = at; at < text.length && (text[at] !== ']' || at === begin); ) {
    const item = readItem(text, at)
    tests.push(item.accepts)
    at += item.length
  }
  if (at >= text.length) return undefined
  const accepts = (character: string): boolean =>
    character !== '/' && tests.some((test) => test(character)) !== isNegated
  return { accepts, length: at + 1 - from }
}

function readItem(text: string, at: number): CharacterClass {
  const [named, name = ''] = /^\[:([a-z]+):\]/.exec(text.slice(at, at + 12)) ?? []
  const known = posixClasses[name]
  if (named !== undefined && known !== undefined) {
    return { accepts: (character) => known.test(character), length: named.length }
  }
  const first = readCharacter(text, at)
  const dash = at + first.length
  if (text[dash] !== '-' || text[dash + 1] === ']' || text[dash + 1] === undefined) {
    return { accepts: (character) => character === first.value, length: first.length }
  }
  const last = readCharacter(text, dash + 1)
  return {
    accepts: (character) => isBetween(first.value, character, last.value),
    length: first.length + 1 + last.length,
  }
}

function readCharacter(text: string, at: number): { value: string; length: number } {
  const isEscaped = text[at] === '\\' && at + 1 < text.length
  const value = String.fromCodePoint(text.codePointAt(isEscaped ? at + 1 : at) ?? 0)
  return { value, length: value.length + (isEscaped ? 1 : 0) }
}

function isBetween(first: string, character: string, last: string): boolean {
  const point = character.codePointAt(0) ?? 0
  return (first.codePointAt(0) ?? 0) <= point && point <= (last.codePointAt(0) ?? 0)
}
