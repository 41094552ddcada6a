import { fail } from '../refusal.ts'

const pair = '[\\ud800-\\udbff][\\udc00-\\udfff]'

/** ASCII contents of the named classes, as written within brackets. */
export const classContents: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: '\\t\\v\\f ',
}

const posixContents: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-/:-@\\[-`{-~',
  space: '\\t\\v\\f ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
}

const controls: Readonly<Record<string, string>> = { t: '\t', f: '\f', v: '\v', n: '\n', r: '\r' }

interface ReadClass {
  readonly item: Item
  /** Number of characters from `[` to `]`. */
  readonly length: number
}

/** Rewrites the bracket expression at `from`. Ends the call at syntax that the engines interpret differently. */
export function readClass(text: string, from: number, caseSensitive: boolean): ReadClass {
  const reader = new ClassReader(text, from + 1, caseSensitive)
  return { item: reader.read(), length: reader.at - from }
}

class ClassReader {
  at: number
  readonly #text: string
  readonly #caseSensitive: boolean
  #contents = ''
  /** Characters beyond 16 bits, which Node needs outside of brackets. */
  readonly #astral: string[] = []
  /** Contents of `\D`, `\W`, `\S`. */
  readonly #excluded: string[] = []

  constructor(text: string, at: number, caseSensitive: boolean) {
    this.#text = text
    this.at = at
    this.#caseSensitive = caseSensitive
  }

  read(): Item {
    const isNegated = this.#text[this.at] === '^'
    if (isNegated) this.at++
    if (this.#text[this.at] === ']') refusePattern('a class must not begin with ]; write \\]')
    while (this.#text[this.at] !== ']') {
      if (this.at >= this.#text.length) refusePattern('a class is not closed')
      this.#next()
    }
    this.at++
    return isNegated ? this.#negated() : this.#positive()
  }

  #negated(): Item {
    if (this.#excluded.length > 0) refusePattern('\\D, \\W and \\S cannot stand in a negated class')
    if (this.#astral.length > 0) refusePattern('a negated class holds characters beyond U+FFFF')
    return anyBut(this.#contents)
  }

  #positive(): Item {
    const excluded = this.#excluded.map(anyBut)
    const own = this.#contents === '' ? [] : [same(`[${this.#contents}]`)]
    const items = [...own, ...this.#astral.map(same), ...excluded]
    return {
      ripgrep: `(?:${items.map((item) => item.ripgrep).join('|')})`,
      node: `(?:${items.map((item) => item.node).join('|')})`,
    }
  }

  #next(): void {
    const rest = this.#text.slice(this.at, this.at + 12)
    const [posix, posixName = ''] = /^\[:([a-z]+):\]/.exec(rest) ?? []
    if (posix !== undefined) {
      this.#addNamed(posixContents[posixName], posix)
      return
    }
    if (/^\[[:.=]/.test(rest)) refusePattern(`${rest.slice(0, 2)} is not supported in a class`)
    const [name, letter = ''] = /^\\([dwsDWS])/.exec(rest) ?? []
    if (name === undefined) {
      this.#addRange()
      return
    }
    if (letter === letter.toLowerCase()) {
      this.#addNamed(classContents[letter], name)
      return
    }
    this.#excluded.push(classContents[letter.toLowerCase()] ?? '')
    this.at += name.length
  }

  #addNamed(contents: string | undefined, name: string): void {
    if (contents === undefined) refusePattern(`${name} is not supported`)
    this.#contents += this.#caseSensitive ? contents : bothCases(contents)
    this.at += name.length
  }

  #addRange(): void {
    const first = this.#character()
    const isRange = this.#text[this.at] === '-' && !']'.includes(this.#text[this.at + 1] ?? ']')
    if (!isRange) {
      for (const each of this.#caseSensitive ? [first] : casesOf(first)) this.#addOne(each)
      return
    }
    this.at++
    const last = this.#character()
    if (first.length > 1 || last.length > 1) refusePattern('a range goes beyond U+FFFF')
    if (first > last) refusePattern('a range is upside down')
    this.#contents += `${toLiteral(first)}-${toLiteral(last)}`
    if (!this.#caseSensitive) this.#contents += otherCase(first, last)
  }

  #addOne(character: string): void {
    if (character.length > 1) this.#astral.push(character)
    else this.#contents += toLiteral(character)
  }

  #character(): string {
    const isEscaped = this.#text[this.at] === '\\'
    if (isEscaped) this.at++
    const point = this.#text.codePointAt(this.at)
    if (point === undefined) refusePattern('a class is not closed')
    const character = String.fromCodePoint(point)
    this.at += character.length
    if (!isEscaped || !/[A-Za-z0-9]/.test(character)) return character
    if (character === 'x' || character === 'u') return this.#code()
    const control = controls[character]
    if (control === undefined) refusePattern(`\\${character} is not supported in a class`)
    return control
  }

  #code(): string {
    const [whole, short, digits] =
      /^([0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?)|^\{([0-9A-Fa-f]{1,6})\}/.exec(
        this.#text.slice(this.at),
      ) ?? []
    const isLong = this.#text[this.at - 1] === 'u'
    const code = digits ?? short?.slice(0, isLong ? 4 : 2)
    const point = Number.parseInt(code ?? '', 16)
    if (whole === undefined || !(point <= 0x10ffff) || (point >= 0xd800 && point <= 0xdfff)) {
      refusePattern('a character code in a class is not valid')
    }
    this.at += digits === undefined ? (code ?? '').length : whole.length
    return String.fromCodePoint(point)
  }
}

/** Extends class contents with `A-Z` or `a-z` to both. */
function bothCases(contents: string): string {
  return contents.replace(/A-Z(?!a-z)|(?<!A-Z)a-z/, 'A-Za-z').replace('A-Fa-f', 'A-Fa-f')
}

/** Returns the ASCII letters of a range in the other case, as class contents. */
function otherCase(first: string, last: string): string {
  const part = (low: string, high: string, shift: number): string => {
    const from = Math.max(first.charCodeAt(0), low.charCodeAt(0))
    const to = Math.min(last.charCodeAt(0), high.charCodeAt(0))
    if (from > to) return ''
    return `${String.fromCharCode(from + shift)}-${String.fromCharCode(to + shift)}`
  }
  return part('a', 'z', -32) + part('A', 'Z', 32)
}

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

/** Ends the call: the pattern is not supported by both engines. */
export function refusePattern(why: string): never {
  fail('invalid_parameters', `The pattern cannot be used: ${why}`)
}
