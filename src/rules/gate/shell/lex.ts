import { type HereText, hereTextAt } from './here-text.ts'

/** One token of a command, by its place in the text. */
export interface Token {
  /** `number`: a descriptor right before a redirection. */
  readonly kind: 'word' | 'number' | 'operator'
  readonly pos: number
  readonly end: number
  /** As it stands in the text; a line end is the operator `\n`. */
  readonly text: string
}

/** The tokens of a command, and those of every `$(…)` in it by the place of its `$`. */
export interface Lexed {
  readonly tokens: readonly Token[]
  readonly inner: ReadonlyMap<number, readonly Token[]>
  /** The literal texts written as `$(cat <<'EOF' …)`, which hold no tokens, by the same place. */
  readonly texts: ReadonlyMap<number, HereText>
}

const operators = '&>> <<< <<- && || ;; |& &> >> >& >| << <& <> | & ; < > ( )'.split(' ')
const maxDepth = 20
/** Signs that only stand for themselves. */
const plainRun = /[^ \t\n|&;<>()`\\'"$]+/y
const plainExpansion = /\$(?:\{#?[A-Za-z_]\w*\}|[A-Za-z_]\w*|[?#$!@*0-9-])/y

/**
 * Our own reading of a command, which knows nothing of the parser's: blanks, quotes, comments, operators, `$name`,
 * `${name}` and `$(…)`. Undefined for everything else (backticks, `$'…'`, arithmetic, open quotes): such a command asks.
 */
export function lex(text: string): Lexed | undefined {
  const lexer = new Lexer(text)
  const tokens = lexer.list(0)
  return tokens === undefined || lexer.at < text.length ? undefined : { tokens, ...lexer.found }
}

class Lexer {
  readonly found = {
    inner: new Map<number, readonly Token[]>(),
    texts: new Map<number, HereText>(),
  }
  at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** Tokens up to the end of the text, or to the `)` that closes a substitution. */
  list(depth: number): readonly Token[] | undefined {
    const tokens: Token[] = []
    let open = 0
    while (this.at < this.#text.length) {
      const character = this.#text[this.at] ?? ''
      if (character === ')' && open === 0) return depth > 0 ? tokens : undefined
      if (character === '(') open += 1
      if (character === ')') open -= 1
      if (character === ' ' || character === '\t') this.at += 1
      else if (character === '#') this.#comment()
      else {
        const token = this.#token(depth)
        if (token === undefined) return undefined
        tokens.push(token)
      }
    }
    return depth > 0 ? undefined : tokens
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.at)
    this.at = end === -1 ? this.#text.length : end
  }

  #token(depth: number): Token | undefined {
    const pos = this.at
    const operator = this.#operator()
    if (operator !== undefined) {
      this.at += operator.length
      return { kind: 'operator', pos, end: this.at, text: operator }
    }
    if (!this.#word(depth)) return undefined
    const text = this.#text.slice(pos, this.at)
    const isNumber = /^\d+$/.test(text) && /[<>]/.test(this.#text[this.at] ?? '')
    return { kind: isNumber ? 'number' : 'word', pos, end: this.at, text }
  }

  #operator(): string | undefined {
    const character = this.#text[this.at] ?? ''
    if (character === '\n' || !/[|&;<>()]/.test(character))
      return character === '\n' ? '\n' : undefined
    return operators.find((operator) => this.#text.startsWith(operator, this.at))
  }

  /** Whether a word could be read to its end. */
  #word(depth: number): boolean {
    for (;;) {
      plainRun.lastIndex = this.at
      if (plainRun.test(this.#text)) this.at = plainRun.lastIndex
      const character = this.#text[this.at] ?? ''
      if (character === '' || /[ \t\n|&;<>()]/.test(character)) return true
      if (!this.#piece(character, depth)) return false
    }
  }

  #piece(character: string, depth: number): boolean {
    if (character === '`') return false
    if (character === '\\') return this.#escape()
    if (character === "'") return this.#single()
    if (character === '"') return this.#double(depth)
    if (character === '$') return this.#dollar(depth)
    this.at += 1
    return true
  }

  #escape(): boolean {
    const next = this.#text[this.at + 1]
    this.at += 2
    return next !== undefined && next !== '\n'
  }

  #single(): boolean {
    const end = this.#text.indexOf("'", this.at + 1)
    this.at = end + 1
    return end !== -1
  }

  #double(depth: number): boolean {
    this.at += 1
    for (;;) {
      const character = this.#text[this.at]
      if (character === undefined) return false
      if (character === '"') {
        this.at += 1
        return true
      }
      const isPlain = character === "'" || !this.#isSpecial(character)
      if (isPlain) this.at += 1
      else if (!this.#piece(character, depth)) return false
    }
  }

  #isSpecial(character: string): boolean {
    return character === '`' || character === '\\' || character === '$'
  }

  #dollar(depth: number): boolean {
    const next = this.#text[this.at + 1] ?? ''
    if (next === '(') return this.#substitution(depth)
    plainExpansion.lastIndex = this.at
    const found = plainExpansion.exec(this.#text)
    this.at += found?.[0].length ?? 1
    return found !== null || !/[{['"]/.test(next)
  }

  #substitution(depth: number): boolean {
    const pos = this.at
    const text = hereTextAt(this.#text, pos)
    if (text !== undefined) {
      this.found.texts.set(pos, text)
      this.at = text.end
      return true
    }
    if (depth >= maxDepth || this.#text[pos + 2] === '(') return false
    this.at += 2
    const tokens = this.list(depth + 1)
    if (tokens === undefined) return false
    this.found.inner.set(pos, tokens)
    this.at += 1
    return true
  }
}
