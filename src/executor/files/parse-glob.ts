import type { Piece } from './automaton.ts'
import { parseCharacterClass } from './character-class.ts'

export interface GlobOptions {
  /** Whether `*` goes on over `/` (GATE-08) or stays within one name. */
  readonly starCrosses: boolean
  readonly ignoreCase: boolean
}

const slash: Piece = { kind: 'any', accepts: (character) => character === '/' }
const notSlash: Piece = { kind: 'any', accepts: (character) => character !== '/' }
const anything: Piece = star({ kind: 'any', accepts: () => true })
const nothing: Piece = { kind: 'sequence', pieces: [] }
const maxDepth = 32

/** The pieces of a path pattern. Throws RangeError on `!(…)` and on nesting over 32 levels. */
export function parseGlob(pattern: string, options: GlobOptions): Piece {
  return new Parser(pattern, options).parse()
}

function star(piece: Piece): Piece {
  return { kind: 'repeat', piece, min: 0, many: true }
}

function optional(piece: Piece): Piece {
  return { kind: 'repeat', piece, min: 0, many: false }
}

function literal(text: string): Piece {
  const pieces = [...text].map(
    (expected): Piece => ({ kind: 'any', accepts: (character) => character === expected }),
  )
  return { kind: 'sequence', pieces }
}

class Parser {
  readonly #text: string
  readonly #oneStar: Piece
  #at = 0
  #depth = 0

  constructor(pattern: string, options: GlobOptions) {
    this.#text = pattern.startsWith('./') ? pattern.slice(2) : pattern
    this.#oneStar = options.starCrosses ? anything : star(notSlash)
  }

  parse(): Piece {
    const pieces = this.#sequence('')
    return { kind: 'sequence', pieces }
  }

  /** Reads up to one of `ends` or the end of the text. */
  #sequence(ends: string): Piece[] {
    const pieces: Piece[] = []
    while (this.#at < this.#text.length && !ends.includes(this.#text[this.#at] ?? '')) {
      pieces.push(this.#next(pieces.length === 0 && this.#depth === 0))
    }
    return pieces
  }

  #next(isFirst: boolean): Piece {
    const character = this.#text[this.#at] ?? ''
    const following = this.#text[this.#at + 1]
    if (
      '?*+@!'.includes(character) &&
      following === '(' &&
      this.#closing(this.#at + 1, '(', ')') > 0
    ) {
      return this.#extended(character)
    }
    if (character === '*' || (character === '/' && this.#text.startsWith('/**', this.#at))) {
      return this.#stars(isFirst)
    }
    if (character === '?') return this.#take(1, notSlash)
    if (character === '[') return this.#characterClass()
    if (character === '{' && this.#closing(this.#at, '{', '}') > 0) return this.#braces()
    if (character === '(' && this.#closing(this.#at, '(', ')') > 0) return this.#group()
    if (character === '\\' && following !== undefined) this.#at++
    const point = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
    return this.#take(point.length, literal(point))
  }

  #take(length: number, piece: Piece): Piece {
    this.#at += length
    return piece
  }

  /** `*`, `**` and what slashes around two stars mean. */
  #stars(isFirst: boolean): Piece {
    const [run = ''] = /^\/?\*+/.exec(this.#text.slice(this.#at)) ?? []
    const begins = isFirst || run.startsWith('/')
    const count = run.replace('/', '').length
    const after = this.#text[this.#at + run.length]
    const lead = run.startsWith('/') ? slash : nothing
    if (count === 1) return this.#take(run.length, sequence(lead, this.#oneStar))
    if (begins && after === '/') {
      const inner = optional(sequence(anything, slash))
      return this.#take(run.length + 1, sequence(lead, inner))
    }
    const inner = begins ? anything : this.#oneStar
    const isTail = run.startsWith('/') && after === undefined
    return this.#take(run.length, isTail ? optional(sequence(lead, inner)) : sequence(lead, inner))
  }

  #characterClass(): Piece {
    const found = parseCharacterClass(this.#text, this.#at)
    if (found === undefined) return this.#take(1, literal('['))
    return this.#take(found.length, { kind: 'any', accepts: found.accepts })
  }

  #braces(): Piece {
    const closing = this.#closing(this.#at, '{', '}')
    const inside = this.#text.slice(this.#at + 1, closing)
    const range = /^(-?\d{1,4}|[A-Za-z])\.\.(-?\d{1,4}|[A-Za-z])$/.exec(inside)
    if (range !== null) return this.#take(inside.length + 2, expandRange(range[1], range[2]))
    const pieces = this.#alternatives(',', '}')
    // `{a}` is no choice: the braces stand for themselves.
    if (pieces.length > 1) return { kind: 'choice', pieces }
    return sequence(literal('{'), ...pieces, literal('}'))
  }

  #group(): Piece {
    return { kind: 'choice', pieces: this.#alternatives('|', ')') }
  }

  #extended(sign: string): Piece {
    if (sign === '!') throw new RangeError('!(…) is not supported in a path pattern')
    this.#at++
    const piece = this.#group()
    if (sign === '@') return piece
    return { kind: 'repeat', piece, min: sign === '+' ? 1 : 0, many: sign !== '?' }
  }

  #alternatives(separator: string, end: string): Piece[] {
    if (++this.#depth > maxDepth) throw new RangeError('the pattern is nested too deeply')
    const pieces: Piece[] = []
    do {
      this.#at++
      pieces.push({ kind: 'sequence', pieces: this.#sequence(separator + end) })
    } while (this.#text[this.#at] === separator)
    this.#at++
    this.#depth--
    return pieces
  }

  /** Where the bracket that opens at `from` closes; -1 when it does not. */
  #closing(from: number, open: string, close: string): number {
    let depth = 0
    for (let at = from; at < this.#text.length; at++) {
      const character = this.#text[at]
      if (character === '\\') at++
      else if (character === open) depth++
      else if (character === close && --depth === 0) return at
    }
    return -1
  }
}

function sequence(...pieces: Piece[]): Piece {
  return { kind: 'sequence', pieces }
}

function expandRange(from = '', to = ''): Piece {
  const isNumber = /\d/.test(from) && /\d/.test(to)
  const first = isNumber ? Number(from) : (from.codePointAt(0) ?? 0)
  const last = isNumber ? Number(to) : (to.codePointAt(0) ?? 0)
  const low = Math.min(first, last)
  const length = Math.min(Math.abs(first - last) + 1, 1000)
  const values = Array.from({ length }, (_, index) => low + index)
  const texts = values.map((value) => (isNumber ? String(value) : String.fromCodePoint(value)))
  return { kind: 'choice', pieces: texts.map(literal) }
}
