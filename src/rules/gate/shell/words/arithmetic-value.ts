const shape = /\$\(\(([\d \t()+*/%-]{1,200})\)\)/y
const token = /[ \t]*(\d{1,15}|[()+*/%-])/y
const maxDepth = 20

/** An arithmetic expansion of literal numbers: its value and the index after it. */
export interface Arithmetic {
  readonly value: string
  readonly end: number
}

/** SHELL-12: evaluates `$((1 + 2))` at an index of a text; undefined for anything but decimal numbers. */
export function arithmeticAt(text: string, at: number): Arithmetic | undefined {
  shape.lastIndex = at
  const body = shape.exec(text)?.[1]
  if (body === undefined) return undefined
  const value = calculate(body)
  return value === undefined ? undefined : { value: `${value}`, end: shape.lastIndex }
}

function calculate(body: string): number | undefined {
  const tokens: string[] = []
  token.lastIndex = 0
  for (let at = 0; at < body.trimEnd().length; at = token.lastIndex) {
    const found = token.exec(body)?.[1]
    // A number with a leading 0 is octal.
    if (found === undefined || /^0\d/.test(found)) return undefined
    tokens.push(found)
  }
  const reader = new Reader(tokens)
  const value = reader.sum(0)
  return reader.isAtEnd && Number.isSafeInteger(value) ? value : undefined
}

/** Evaluates integer arithmetic; NaN for anything that a shell would reject or evaluate differently. */
class Reader {
  #at = 0
  readonly #tokens: readonly string[]

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  sum(depth: number): number {
    let value = this.#product(depth)
    for (let sign = this.#takes('+', '-'); sign !== undefined; sign = this.#takes('+', '-')) {
      const next = this.#product(depth)
      value = safe(sign === '+' ? value + next : value - next)
    }
    return value
  }

  #product(depth: number): number {
    let value = this.#unit(depth)
    for (
      let sign = this.#takes('*', '/', '%');
      sign !== undefined;
      sign = this.#takes('*', '/', '%')
    ) {
      const next = this.#unit(depth)
      if (sign === '*') value = safe(value * next)
      else if (next === 0) value = Number.NaN
      else value = sign === '/' ? Math.trunc(value / next) : value % next
    }
    return value
  }

  #unit(depth: number): number {
    if (depth > maxDepth) return Number.NaN
    if (this.#takes('(') !== undefined) {
      const value = this.sum(depth + 1)
      return this.#takes(')') === undefined ? Number.NaN : value
    }
    const number = this.#tokens[this.#at] ?? ''
    if (!/^\d/.test(number)) return Number.NaN
    this.#at += 1
    return Number(number)
  }

  #takes(...signs: readonly string[]): string | undefined {
    const next = this.#tokens[this.#at]
    if (next === undefined || !signs.includes(next)) return undefined
    this.#at += 1
    return next
  }
}

function safe(value: number): number {
  return Number.isSafeInteger(value) ? value : Number.NaN
}
