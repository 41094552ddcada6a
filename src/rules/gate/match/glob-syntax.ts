/** A path pattern's syntax tree; `any` crosses `/` as a star does in bash's `[[ ]]`. */
export type GlobNode =
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly Range[] }
  | { readonly kind: 'one' }
  | { readonly kind: 'any' }
  /** `**` and a slash: any leading directories, also none. */
  | { readonly kind: 'directories' }
  | { readonly kind: 'choice'; readonly options: readonly GlobNode[][]; readonly repeat: Repeat }

export type Range = readonly [from: number, to: number]
export type Repeat = 'once' | 'optional' | 'many' | 'some'

const repeats: Readonly<Record<string, Repeat>> = {
  '@': 'once',
  '?': 'optional',
  '*': 'many',
  '+': 'some',
}

const classes: Readonly<Record<string, readonly Range[]>> = {
  alpha: [range('a', 'z'), range('A', 'Z')],
  digit: [range('0', '9')],
  alnum: [range('a', 'z'), range('A', 'Z'), range('0', '9')],
  lower: [range('a', 'z')],
  upper: [range('A', 'Z')],
  space: [
    [9, 13],
    [32, 32],
  ],
}

/** Parses `*`, `**`, `?`, `[…]`, `{a,b}`, `{1..9}`, `@(…)`, `?(…)`, `*(…)`, `+(…)` and `\`; never throws. */
export function parseGlob(pattern: string): readonly GlobNode[] {
  return new GlobParser([...pattern]).sequence(() => false)
}

class GlobParser {
  readonly #text: readonly string[]
  #at = 0

  constructor(text: readonly string[]) {
    this.#text = text
  }

  sequence(ends: (character: string) => boolean): GlobNode[] {
    const nodes: GlobNode[] = []
    for (;;) {
      const character = this.#text[this.#at]
      if (character === undefined || ends(character)) return nodes
      nodes.push(this.#node(character))
    }
  }

  #node(character: string): GlobNode {
    const group = this.#tried(() => this.#extendedGroup(character))
    if (group !== undefined) return group
    if (character === '*') return this.#star()
    if (character === '[') return this.#tried(() => this.#bracket()) ?? this.#literal(character)
    if (character === '{') return this.#tried(() => this.#brace()) ?? this.#literal(character)
    if (character === '?') {
      this.#at += 1
      return { kind: 'one' }
    }
    if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1
    return this.#literal(this.#text[this.#at] ?? character)
  }

  #literal(character: string): GlobNode {
    this.#at += 1
    return { kind: 'character', code: character.codePointAt(0) ?? 0 }
  }

  /** Goes back to where it was when `parse` finds that the text is not what it looked like. */
  #tried(parse: () => GlobNode | undefined): GlobNode | undefined {
    const start = this.#at
    const node = parse()
    if (node === undefined) this.#at = start
    return node
  }

  #star(): GlobNode {
    const start = this.#at
    while (this.#text[this.#at] === '*') this.#at += 1
    const opensSegment = start === 0 || this.#text[start - 1] === '/'
    if (this.#at - start === 2 && opensSegment && this.#text[this.#at] === '/') {
      this.#at += 1
      return { kind: 'directories' }
    }
    return { kind: 'any' }
  }

  #extendedGroup(character: string): GlobNode | undefined {
    const repeat = repeats[character]
    if (repeat === undefined || this.#text[this.#at + 1] !== '(') return undefined
    this.#at += 2
    const options = this.#options('|', ')')
    return options === undefined ? undefined : { kind: 'choice', options, repeat }
  }

  #options(separator: string, close: string): GlobNode[][] | undefined {
    const options: GlobNode[][] = []
    for (;;) {
      options.push(this.sequence((next) => next === separator || next === close))
      const end = this.#text[this.#at]
      if (end === undefined) return undefined
      this.#at += 1
      if (end === close) return options
    }
  }

  #brace(): GlobNode | undefined {
    this.#at += 1
    const inside = this.#text.slice(this.#at, this.#text.indexOf('}', this.#at)).join('')
    const span = /^(?:(\d{1,4})\.\.(\d{1,4})|([A-Za-z])\.\.([A-Za-z]))$/.exec(inside)
    if (span !== null) {
      this.#at += inside.length + 1
      return spanNode(span)
    }
    const options = this.#options(',', '}')
    if (options === undefined || options.length < 2) return undefined
    return { kind: 'choice', options, repeat: 'once' }
  }

  #bracket(): GlobNode | undefined {
    this.#at += 1
    const first = this.#text[this.#at]
    const negated = first === '!' || first === '^'
    if (negated) this.#at += 1
    const ranges: Range[] = []
    for (let count = 0; ; count += 1) {
      const character = this.#text[this.#at]
      if (character === undefined || character === '/') return undefined
      if (character === ']' && count > 0) break
      ranges.push(...this.#member(character))
    }
    this.#at += 1
    return { kind: 'set', negated, ranges }
  }

  #member(character: string): readonly Range[] {
    const name = /^\[:([a-z]+):\]/.exec(this.#text.slice(this.#at, this.#at + 12).join(''))
    const known = name?.[1] === undefined ? undefined : classes[name[1]]
    if (name !== null && known !== undefined) {
      this.#at += name[0].length
      return known
    }
    if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1
    const from = this.#text[this.#at] ?? character
    const to = this.#text[this.#at + 1] === '-' ? this.#text[this.#at + 2] : undefined
    const isRange = to !== undefined && to !== ']'
    this.#at += isRange ? 3 : 1
    return [range(from, isRange ? to : from)]
  }
}

function range(from: string, to: string): Range {
  return [from.codePointAt(0) ?? 0, to.codePointAt(0) ?? 0]
}

function spanNode(span: RegExpExecArray): GlobNode {
  const [, low, high, first, last] = span
  if (first !== undefined && last !== undefined) {
    const [from, to] = range(first, last)
    return { kind: 'set', negated: false, ranges: [[Math.min(from, to), Math.max(from, to)]] }
  }
  const from = Math.min(Number(low), Number(high))
  const to = Math.max(Number(low), Number(high))
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
  return {
    kind: 'choice',
    repeat: 'once',
    options: numbers.map((digits) =>
      [...digits].map((digit) => ({ kind: 'character', code: digit.codePointAt(0) ?? 0 })),
    ),
  }
}
