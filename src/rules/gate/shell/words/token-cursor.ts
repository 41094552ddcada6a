import type { Token } from './lex.ts'

/** Advances along our own lexer's tokens; each step reports whether the next token matches the tree. */
export class TokenCursor {
  #at = 0
  readonly #tokens: readonly Token[]

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length
  }

  /** Whether the next token is this operator. */
  isAt(text: string): boolean {
    const token = this.#tokens[this.#at]
    return token?.kind === 'operator' && token.text === text
  }

  /** Skips these operators, by default `;` and line ends; returns their number. */
  skip(sign: RegExp = /^[;\n]$/): number {
    const from = this.#at
    for (let token = this.#tokens[from]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token.kind !== 'operator' || !sign.test(token.text)) break
      this.#at += 1
    }
    return this.#at - from
  }

  takes(kind: Token['kind'], text: string, pos?: number): boolean {
    const token = this.#next()
    const isAt = pos === undefined || token?.pos === pos
    return token?.kind === kind && token.text === text && isAt
  }

  takesWord({ pos, end }: { readonly pos: number; readonly end: number }): boolean {
    const token = this.#next()
    return token?.kind === 'word' && token.pos === pos && token.end === end
  }

  takesNumber(pos: number): boolean {
    const token = this.#next()
    return token?.kind === 'number' && token.pos === pos
  }

  #next(): Token | undefined {
    this.#at += 1
    return this.#tokens[this.#at - 1]
  }
}
