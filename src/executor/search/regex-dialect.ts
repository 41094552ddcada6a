import {
  anyBut,
  casesOf,
  classContents,
  type Item,
  readClass,
  refusePattern,
  same,
  toLiteral,
} from './regex-class.ts'

const maxRepeat = 1000
const maxDepth = 100

/**
 * DECISIONS 29: translates a pattern to the dialect common to ripgrep's default engine and V8's linear engine, so that
 * both agree: `\d`, `\w`, `\b` are ASCII, case is folded by spelling out both letters, a brace that repeats nothing is a
 * literal. Lookaround, backreferences and anything else that only one engine supports end the call as
 * `invalid_parameters`.
 */
export function toDialect(pattern: string, caseSensitive: boolean): Item {
  if (/[\n\r\0]/.test(pattern)) refusePattern('a line break or NUL cannot be searched for')
  if (/[\ud800-\udfff]/u.test(pattern)) refusePattern('it holds half a character')
  const inline = /^\(\?i\)/.exec(pattern)?.[0] ?? ''
  return new Rewriter(pattern.slice(inline.length), caseSensitive && inline === '').rewrite()
}

const named: Readonly<Record<string, Item>> = {
  d: same(`[${classContents['d']}]`),
  w: same(`[${classContents['w']}]`),
  s: same(`[${classContents['s']}]`),
  D: anyBut(classContents['d'] ?? ''),
  W: anyBut(classContents['w'] ?? ''),
  S: anyBut(classContents['s'] ?? ''),
  b: { ripgrep: '(?-u:\\b)', node: '\\b' },
  B: { ripgrep: '(?-u:\\B)', node: '\\B' },
  t: same('\\t'),
  f: same('\\f'),
  v: same('\\v'),
}

class Rewriter {
  readonly #text: string
  readonly #caseSensitive: boolean
  #at = 0
  #depth = 0
  #ripgrep = ''
  #node = ''
  /** True if a quantifier may follow. */
  #canRepeat = false

  constructor(pattern: string, caseSensitive: boolean) {
    this.#text = pattern
    this.#caseSensitive = caseSensitive
  }

  rewrite(): Item {
    while (this.#at < this.#text.length) this.#next()
    if (this.#depth > 0) refusePattern('a group is not closed')
    return { ripgrep: this.#ripgrep, node: this.#node }
  }

  #next(): void {
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    if (character === '\\') this.#escape()
    else if (character === '[') this.#characterClass()
    else if (character === '(') this.#open()
    else if (character === ')') this.#close()
    else if ('*+?'.includes(character)) this.#repeat(character)
    else if (character === '{') this.#brace()
    else if (character === '.') this.#put(anyBut(''), 1, true)
    else if ('^$|'.includes(character)) this.#put(same(character), 1, false)
    else this.#put(this.#letter(character), character.length, true)
  }

  #put(item: Item, length: number, canRepeat: boolean): void {
    this.#ripgrep += item.ripgrep
    this.#node += item.node
    this.#at += length
    this.#canRepeat = canRepeat
  }

  /** Adds a literal character, in both cases if case is ignored. */
  #letter(character: string): Item {
    const variants = (this.#caseSensitive ? [character] : casesOf(character)).map(toLiteral)
    if (variants.length === 1 && character.length === 1) return same(variants.join(''))
    return same(`(?:${variants.join('|')})`)
  }

  #escape(): void {
    const next = this.#text[this.#at + 1]
    if (next === undefined) refusePattern('it ends in a backslash')
    const item = Object.hasOwn(named, next) ? named[next] : undefined
    if (item !== undefined) {
      this.#put(item, 2, !'bB'.includes(next))
      return
    }
    const code = /^\\x([0-9A-Fa-f]{2})|^\\u([0-9A-Fa-f]{4})|^\\[xu]\{([0-9A-Fa-f]{1,6})\}/.exec(
      this.#text.slice(this.#at, this.#at + 12),
    )
    if (code !== null) {
      this.#code(code[0].length, code[1] ?? code[2] ?? code[3] ?? '')
      return
    }
    if (/[1-9k]/.test(next)) refusePattern('backreferences are not supported')
    if (/[A-Za-z0-9]/.test(next)) refusePattern(`\\${next} is not supported`)
    const point = String.fromCodePoint(this.#text.codePointAt(this.#at + 1) ?? 0)
    this.#put(this.#letter(point), 1 + point.length, true)
  }

  #code(length: number, digits: string): void {
    const point = Number.parseInt(digits, 16)
    const isSurrogate = point >= 0xd800 && point <= 0xdfff
    if ([0, 10, 13].includes(point) || point > 0x10ffff || isSurrogate) {
      refusePattern('a line break, NUL or half a character cannot be searched for')
    }
    this.#put(this.#letter(String.fromCodePoint(point)), length, true)
  }

  #characterClass(): void {
    const { item, length } = readClass(this.#text, this.#at, this.#caseSensitive)
    this.#put(item, length, true)
  }

  #open(): void {
    const rest = this.#text.slice(this.#at, this.#at + 4)
    if (/^\(\?<?[=!]/.test(rest)) refusePattern('lookaround is not supported')
    if (rest.startsWith('(?') && !rest.startsWith('(?:')) {
      refusePattern(`${rest} is not supported`)
    }
    if (++this.#depth > maxDepth) refusePattern('it is nested too deeply')
    // Groups do not capture, which saves work in both engines.
    this.#put(same('(?:'), rest.startsWith('(?:') ? 3 : 1, false)
  }

  #close(): void {
    if (--this.#depth < 0) refusePattern('a group is closed that was not opened')
    this.#put(same(')'), 1, true)
  }

  #repeat(sign: string): void {
    if (!this.#canRepeat) refusePattern(`${sign} has nothing to repeat`)
    this.#quantify(sign, 1)
  }

  #brace(): void {
    const [whole, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at)) ?? []
    if (whole === undefined) {
      this.#put(same('\\x7b'), 1, true)
      return
    }
    if (!this.#canRepeat) refusePattern(`${whole} has nothing to repeat`)
    const least = Number(min)
    const most = max === '' ? least : Number(max)
    const isMalformed = comma === '' && max !== ''
    if (isMalformed || least > maxRepeat || most > maxRepeat || most < least) {
      refusePattern(`${whole} is out of range (at most ${maxRepeat})`)
    }
    this.#quantify(whole, whole.length)
  }

  /** A `?` after a quantifier makes it lazy; a second quantifier is not supported by all engines. */
  #quantify(text: string, length: number): void {
    const isLazy = this.#text[this.#at + length] === '?'
    this.#put(same(isLazy ? `${text}?` : text), length + (isLazy ? 1 : 0), false)
  }
}
